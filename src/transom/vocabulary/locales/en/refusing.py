"""English. See ``vocabulary.refusing``."""

from __future__ import annotations

from ...refusing import RefusingWords

__all__ = ["REFUSING"]

REFUSING = RefusingWords(
    path_empty="The path is empty. Name a file or folder, for example src/main.py, or . for the working directory.",
    path_nul="The path holds a NUL character ({path}). Send the plain name.",
    path_control="The path holds a control character ({path}). Send the plain name; list_directory shows the names there are.",
    path_surrogate="The path is not valid Unicode ({path}). Send the name as list_directory shows it.",
    path_network="{path} is a network path. Use a path relative to the working directory.",
    path_device="{segment} names a device, not a file. Use another name.",
    path_drive="{path} begins with a drive letter. Use a path relative to the working directory.",
    path_home="~ is not expanded ({path}). Use a path relative to the working directory; a name with ~ is written ./~name.",
    path_url="{path} is a URL, not a path. Name a file below the working directory.",
    path_stream="{segment} holds a colon, which names a hidden stream of a file on Windows. Use another name.",
    path_trailing="{segment} ends in a dot or a blank, which Windows drops. Use a name without it.",
    path_long="The path is longer than {limit} bytes. Use a shorter one.",
    path_segment_long="A name in the path is longer than {limit} bytes ({segment}). Use a shorter one.",
    path_repository="{segment} belongs to version control and is not written by file tools. Use the git tools, or leave it.",
    path_protected="{segment} configures a shell, an editor or an agent; file tools do not write it. Ask the user to do it.",
)
