"""The context tools as a model reads them: definitions, views, errors.

Everything is a template for ``str.format``. What stands under ``native`` is the wording that Anthropic documents for its memory
tool, which its models know: a locale translates it only if it means to depart from that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["ArgumentWords", "NativeWords", "RetrievalWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArgumentWords:
    """What each argument of the context tool is for."""

    command: str
    path: str
    view_range: str
    offset: str
    query: str
    file_text: str
    old_str: str
    new_str: str
    insert_line: str
    insert_text: str
    old_path: str
    new_path: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NativeWords:
    """Answers to Anthropic's memory tool.

    Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool, "Tool commands".

    Attributes:
        listing: above the files of a directory.
        content: above the numbered lines of a file.
        unknown: a path that is not there, for view and str_replace.
        missing: the same for insert, delete and rename.
        created, exists: a file was made; it is there already.
        edited_memory: a replacement was made; a snippet follows.
        no_match, several: no replacement: no match, several matches.
        edited: a line was inserted.
        bad_line: a line to insert after that is not there.
        deleted: a file or directory is gone.
        renamed, taken: a file or directory has another name; that name is taken.
        too_many_lines: a file that has more lines than the numbers have digits for.
    """

    listing: str
    content: str
    unknown: str
    missing: str
    created: str
    exists: str
    edited_memory: str
    no_match: str
    several: str
    edited: str
    bad_line: str
    deleted: str
    renamed: str
    taken: str
    too_many_lines: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RetrievalWords:
    """The context tools as a model reads them: definitions, views, errors.

    Attributes:
        description: what the context tool is for.
        arguments: what its arguments are for.
        new_context: what the tool that closes the window is for.
        closing: the answer to it.
        line, lines, message, messages: what a view shows of how many.
        characters: what it shows of one long line or message.
        empty: a text without a line.
        more: where the rest is: what is to come, and the next call.
        same_path: the next call where the address is too long to repeat.
        to_come_lines, to_come_messages, to_come_characters, to_come_entries, to_come_matches: what is to come.
        listing: above the addresses of a listing.
        nothing_listed: a namespace or folder that holds nothing.
        folder: a folder in a listing and how many entries are below it.
        spoken: above a message of an archive: its number, how many there are, its role.
        head: added for what stood in place of earlier messages.
        thinking, called, result, failed, fields: what the parts of a message are.
        encoded, unstored: what stands for binary data in a message, and for a text that the store has lost.
        binary: above what can be shown of data that is no text.
        found, found_none: above the matches of a search; the answer where there are none.
        in_line, in_message, in_messages: where what is shown stands.
        created, edited, deleted, renamed: what was done.
        error: what every refusal begins with.
        bad_json, bad_arguments, no_command, unknown_command, missing, no_text, no_number, no_range, bad_range, bad_number:
            arguments that cannot be used.
        bad_path, unknown_namespace, read_only, not_found, is_folder, outside: paths that cannot.
        exists, no_match, several, same, bad_line, too_large, not_text, taken, busy: edits that cannot be made.
        no_memory, no_new_context: parts that this session does not have.
        refused, store_failed: what a hook or the store says.
        cut: where an answer was cut to its budget.
        native: answers to Anthropic's memory tool.

    What is put beside a message without being asked for:

    Attributes:
        recalled_name: the element that frames it; nothing that is quoted can close it.
        recalled_opening: the first line inside it: what this is.
        recalled_hint: added to it where the model has the ``context`` tool.
        recalled_spoken: one message of an archive: its ``{number}``, ``{role}`` and ``{text}``.
        recalled_text: the same where nobody says whose it is.
        suggested: the line that names ``{addresses}`` instead of passages.
        suggested_hint: added to it where the model has the ``context`` tool.
    """

    description: str
    arguments: ArgumentWords
    new_context: str
    closing: str
    line: str
    lines: str
    message: str
    messages: str
    characters: str
    empty: str
    more: str
    same_path: str
    to_come_lines: str
    to_come_messages: str
    to_come_characters: str
    to_come_entries: str
    to_come_matches: str
    listing: str
    nothing_listed: str
    folder: str
    spoken: str
    head: str
    thinking: str
    called: str
    result: str
    failed: str
    fields: str
    encoded: str
    unstored: str
    binary: str
    found: str
    found_none: str
    in_line: str
    in_message: str
    in_messages: str
    created: str
    edited: str
    deleted: str
    renamed: str
    error: str
    bad_json: str
    bad_arguments: str
    no_command: str
    unknown_command: str
    missing: str
    no_text: str
    no_number: str
    no_range: str
    bad_range: str
    bad_number: str
    bad_path: str
    unknown_namespace: str
    read_only: str
    not_found: str
    is_folder: str
    outside: str
    exists: str
    no_match: str
    several: str
    same: str
    bad_line: str
    too_large: str
    not_text: str
    taken: str
    busy: str
    no_memory: str
    no_new_context: str
    refused: str
    store_failed: str
    cut: str
    native: NativeWords
    recalled_name: str
    recalled_opening: str
    recalled_hint: str
    recalled_spoken: str
    recalled_text: str
    suggested: str
    suggested_hint: str

    def recalled_around(self, blocks: Sequence[str], *, tool: bool) -> str:
        """What is put beside a message, framed. ``tool``: the model has the ``context`` tool."""
        opening = self.recalled_opening + (self.recalled_hint if tool else "")
        inner = "\n\n".join(blocks)
        if "<" in inner:
            inner = re.sub(rf"<(?=\s*+/?\s*+{re.escape(self.recalled_name)}\b)", "&lt;", inner, flags=re.IGNORECASE)
        return f"<{self.recalled_name}>\n{opening}\n{inner}\n</{self.recalled_name}>"

    def recalled_place(self, uri: str, numbers: Sequence[int]) -> str:
        """Where a passage stands: its address and, of an archive, the numbers of its messages."""
        if not numbers:
            return uri
        runs: list[list[int]] = []
        for number in numbers:
            if runs and number == runs[-1][1] + 1:
                runs[-1][1] = number
            else:
                runs.append([number, number])
        named = ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in runs)
        template = self.in_message if len(numbers) == 1 else self.in_messages
        return f"{uri}, {template.format(number=named, numbers=named)}"

    def recalled_message(self, number: int, role: str, text: str) -> str:
        """One message of an archive."""
        template = self.recalled_spoken if role else self.recalled_text
        return template.format(number=number, role=role, text=text)

    def suggestion(self, places: Sequence[str], *, tool: bool) -> str:
        """The line that names where something may be. ``tool``: the model has the ``context`` tool."""
        text = self.suggested.format(addresses="; ".join(places)) + (self.suggested_hint if tool else "")
        return f"<{self.recalled_name}>{text}</{self.recalled_name}>"

    def refusal(self, kind: str, values: Mapping[str, object]) -> str:
        """A refusal, from the name of its template and what fills it."""
        template = getattr(self, kind)
        assert isinstance(template, str)
        return self.error.format(what=template.format(**values))
