"""Files: found, read, compared, kept and edited, inside the allowed folders."""

from __future__ import annotations

from ...tool import Family
from .comparing import file_diff
from .keeping import change_directory, copy_file, delete_path, make_directory, move_file
from .listing import list_directory
from .metadata import get_file_metadata
from .reading import read_file, read_file_chunked
from .tree import directory_tree

__all__ = ["FAMILY"]

FAMILY = Family(
    name="files",
    title="Files",
    tools=(
        list_directory,
        read_file,
        read_file_chunked,
        make_directory,
        move_file,
        copy_file,
        delete_path,
        change_directory,
        get_file_metadata,
        file_diff,
        directory_tree,
    ),
)
