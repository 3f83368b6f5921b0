"""``convert_format``, as it is listed; formats and archives are loaded by the first call."""

from __future__ import annotations

from typing import Literal

from ...tool import Result, ToolContext, tool

__all__ = ["convert_format"]

Action = Literal[
    "json_to_csv",
    "csv_to_json",
    "json_to_yaml",
    "yaml_to_json",
    "toml_to_json",
    "base64_encode",
    "base64_decode",
    "compress",
    "decompress",
]


@tool(family="utilities", title="Convert a file", seconds=120.0)
def convert_format(context: ToolContext, action: Action, input: str, output: str | None = None) -> Result:  # noqa: A002
    """Convert data between JSON, CSV, YAML, TOML and base64, or pack and unpack archives (zip, tar, tar.gz, gz).

    Args:
        action: what to do.
        input: path of the file or folder; for base64 also the text itself.
        output: path to write to; without it the result is returned.
    """
    from . import archiving, converting

    match action:
        case "compress":
            return archiving.compress(context, input, output)
        case "decompress":
            return archiving.decompress(context, input, output)
        case "base64_encode":
            return converting.encoded(context, input, output)
        case "base64_decode":
            return converting.decoded(context, input, output)
        case _:
            return converting.converted(context, action, input, output)
