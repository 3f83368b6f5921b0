"""What the tools for converting, packing and querying data say, and those that tell where they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["ConvertingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConvertingWords:
    """Texts of the utilities. ``{path}`` is a path as the model sees it, ``{size}`` bytes.

    What was done:

    Attributes:
        written: a file was made (``{what}``, what is in it).
        rows, documents, decoded, encoded, packed: what that is.
        text_encoded: a text was taken for itself and not for a path.
        decoded_binary: what was decoded is not shown.
        columns_renamed, cells_missing, cells_extra, values_nested, keys_made_text, dates_made_text, guessed_encoding,
            halves_escaped, links_left_out: what the result does not show of what it was made from.
        unpacked, and_more: what came out of an archive (``{names}``, the first of them).

    Refusals of conversions:

    Attributes:
        no_output: the action writes a file, and none was named.
        not_json, not_yaml, not_toml, not_csv, not_text, not_base64: the input is something else (``{reason}``, ``{line}``).
        base64_character, base64_length: reasons for the last.
        not_a_table, not_a_list: JSON that is no table (``{item}``, ``{kind}``).
        no_number, too_many_values, no_cycle, too_deep: values that JSON does not have (``{value}``, ``{limit}``).
        not_an_archive, unknown_archive, damaged, archive_ending, one_file_only, too_much, in_the_way: of packing.

    Queries:

    Attributes:
        query_empty, query_bad, query_end, query_long: queries that cannot be read.
        no_key, no_keys, no_index, not_an_object, not_an_array, no_length: there is nothing there (``{where}``, how far the
            query came).
        root: the place where a query begins.
        object, array, string, number, boolean, null: kinds of values.

    Surroundings:

    Attributes:
        working_directory, system, posix_shell, windows_shell, wsl: where the tools run.
        enabled_family, disabled_tools, none_enabled: which tools there are.

    Looking into files:

    Attributes:
        scan_clean, scan_found, scan_line, scan_more, scan_unread, scan_stopped: what a search for secrets gives.
        hashed, hash_same, hash_other: the digest of a file, and whether it is the one that was expected.
        tokens, count_what: how many tokens a text has; that none was named.
    """

    written: str
    rows: str
    documents: str
    text_encoded: str
    decoded_binary: str
    decoded: str
    encoded: str
    columns_renamed: str
    cells_missing: str
    cells_extra: str
    values_nested: str
    keys_made_text: str
    dates_made_text: str
    guessed_encoding: str
    halves_escaped: str
    packed: str
    links_left_out: str
    unpacked: str
    and_more: str
    no_output: str
    not_json: str
    not_yaml: str
    not_toml: str
    not_csv: str
    not_text: str
    not_base64: str
    base64_character: str
    base64_length: str
    not_a_table: str
    not_a_list: str
    no_number: str
    too_many_values: str
    no_cycle: str
    too_deep: str
    not_an_archive: str
    unknown_archive: str
    damaged: str
    archive_ending: str
    one_file_only: str
    too_much: str
    in_the_way: str
    query_empty: str
    query_bad: str
    query_end: str
    query_long: str
    no_key: str
    no_keys: str
    no_index: str
    not_an_object: str
    not_an_array: str
    no_length: str
    root: str
    json_object: str
    array: str
    string: str
    number: str
    boolean: str
    null: str
    working_directory: str
    system: str
    posix_shell: str
    windows_shell: str
    wsl: str
    enabled_family: str
    disabled_tools: str
    none_enabled: str
    scan_clean: str
    scan_found: str
    scan_line: str
    scan_more: str
    scan_unread: str
    scan_stopped: str
    hashed: str
    hash_same: str
    hash_other: str
    tokens: str
    count_what: str

    def kind(self, value: object) -> str:
        """What sort of JSON value something is."""
        match value:
            case None:
                return self.null
            case bool():
                return self.boolean
            case str():
                return self.string
            case list() | tuple():
                return self.array
            case dict():
                return self.json_object
            case _:
                return self.number

    def several(self, names: Sequence[str], most: int = 10) -> str:
        """Names in a row; of many, how many more there are."""
        shown = ", ".join(names[:most])
        return shown if len(names) <= most else self.and_more.format(names=shown, more=len(names) - most)
