"""Files: found, read, compared, kept and edited, inside the allowed folders."""

from __future__ import annotations

from ...tool import Family
from .analyzing import analyze_project
from .comparing import file_diff
from .deleting_lines import delete_lines_in_file
from .deleting_matches import delete_files_by_pattern
from .finding import find_files, fuzzy_find_local_files
from .inserting import insert_at_line
from .keeping import change_directory, copy_file, delete_path, make_directory, move_file
from .line_operations import line_operations
from .listing import list_directory
from .metadata import get_file_metadata
from .patching import apply_patch
from .pattern_scanning import pattern_scan
from .reading import read_file, read_file_chunked
from .replacing import replace_text_in_file
from .replacing_all import find_replace_all
from .restoring import restore_from_bak
from .ripgrepping import ripgrep
from .saving import append_file, save_file
from .tree import directory_tree

__all__ = ["FAMILY"]

FAMILY = Family(
    name="files",
    title="Files",
    tools=(
        list_directory,
        read_file,
        read_file_chunked,
        save_file,
        replace_text_in_file,
        insert_at_line,
        append_file,
        delete_lines_in_file,
        line_operations,
        apply_patch,
        make_directory,
        move_file,
        copy_file,
        delete_path,
        delete_files_by_pattern,
        change_directory,
        find_files,
        fuzzy_find_local_files,
        get_file_metadata,
        analyze_project,
        directory_tree,
        ripgrep,
        file_diff,
        pattern_scan,
        find_replace_all,
        restore_from_bak,
    ),
)
