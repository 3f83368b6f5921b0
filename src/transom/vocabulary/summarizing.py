"""What a summarizing model is asked, and what frames its answer in the window."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["ANALYSIS", "SUMMARY", "Framed", "SummaryWords"]

ANALYSIS, SUMMARY = "analysis", "summary"
"""Tags of the answer, in all locales: what a model thinks first, and what is taken over."""

_ADDRESS = re.compile(r"\b(w\d+)\b.*?(context://archive/[A-Za-z0-9._~%/-]+)$")
_WINDOW = re.compile(r"\bw\d+\b")
_SHOWN_ARCHIVES = 3
"""Archives that a head names. Each begins with the head before it, which names those before that one."""


@dataclass(frozen=True, slots=True)
class Framed:
    """A head taken apart.

    Attributes:
        window: the window it closed.
        archives: (window, address) of the archives it names, newest first.
        body: what the model wrote.
    """

    window: str
    archives: tuple[tuple[str, str], ...]
    body: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SummaryWords:
    """What a summarizing model is asked, and what frames its answer in the window.

    Attributes:
        contract: the system message: the task, the form of the answer, what must not be left out.
        sections: title of each section of a summary, with what belongs there.
        section: how one of them is announced.
        own_instructions: what stands before the caller's instructions.
        own_guidelines: what stands before the caller's numbered rules.
        earlier: what stands before a summary of what came earlier.
        document: the same where it is a document to be kept up.
        excerpt: what stands before the messages.
        parts: what stands before partial summaries.
        write: asks for a summary of the messages.
        continue_: asks for one summary of the earlier one and the messages.
        part: asks for a summary of one part of many.
        merge: asks to make one of several.
        update: asks to bring the document up to date.
        entry: the line above one message.
        user, assistant, system, tool: who said it.
        call: one call of a tool.
        result: one result; ``nameless_result`` where the tool's name is not known, ``failed_result`` where it says it failed.
        attachment, attachment_elsewhere, item: what stands for a file, for one that is an address only, for an item of a
            provider's own.
        unknown_address: what stands for an address that the model made up.
        mark: how a head begins.
        title: the rest of its first line; ``later_title`` where it was not the first window.
        explanation: what a head is; ``kept_elsewhere`` where it names no address.
        archive: one archive's line; ``no_archive`` where the caller keeps the messages.
        more_archives: where the archives are that are not named.
    """

    contract: str
    sections: tuple[tuple[str, str], ...]
    section: str
    own_instructions: str
    own_guidelines: str
    earlier: str
    document: str
    excerpt: str
    parts: str
    write: str
    continue_: str
    part: str
    merge: str
    update: str
    entry: str
    user: str
    assistant: str
    system: str
    tool: str
    call: str
    result: str
    nameless_result: str
    failed_result: str
    attachment: str
    attachment_elsewhere: str
    item: str
    unknown_address: str
    mark: str
    title: str
    later_title: str
    explanation: str
    kept_elsewhere: str
    archive: str
    no_archive: str
    more_archives: str

    def instruct(self, *, tokens: int, instructions: str, guidelines: Sequence[str]) -> str:
        """The system message of every request.

        Args:
            tokens: how long the answer may be.
            instructions, guidelines: what the caller adds.
        """
        sections = "\n".join(self.section.format(title=title, about=about) for title, about in self.sections)
        text = self.contract.format(sections=sections, tokens=tokens, words=max(tokens // 2, 1))
        if instructions:
            text += f"\n\n{self.own_instructions}\n{instructions}"
        if guidelines:
            numbered = "\n".join(f"{number}. {rule}" for number, rule in enumerate(guidelines, 1))
            text += f"\n\n{self.own_guidelines}\n{numbered}"
        return text

    def enclosed(self, what: str, tag: str, text: str) -> str:
        """A text that is data, after what it is: between tags of a name that does not close within it."""
        while f"</{tag}" in text:
            tag += "_"
        return f"{what}\n<{tag}>\n{text}\n</{tag}>"

    def speaker(self, role: str) -> str:
        """``user``, ``assistant``, ``system`` or ``tool`` in these words."""
        return str(getattr(self, role))

    def result_line(self, tool: str, *, failed: bool) -> str:
        """What stands above a result."""
        line = self.result.format(tool=tool) if tool else self.nameless_result
        return line + (self.failed_result if failed else "")

    def attachment_line(self, media_type: str, size: int | None, name: str) -> str:
        """What stands for a file.

        Args:
            media_type, name: as the message says.
            size: bytes; ``None`` where only its address is known.
        """
        template = self.attachment_elsewhere if size is None else self.attachment
        return template.format(media_type=media_type, size=size, name=f" {name}" if name else "")

    def frame(self, body: str, *, messages: int, window: str, previous: str | None, archives: Sequence[tuple[str, str]]) -> str:
        """The head: what it is, where everything is that it stands for, and the summary.

        Args:
            body: what the model wrote.
            messages: how many messages of the window left.
            window, previous: the window that closes and the one before it.
            archives: (window, address), newest first; an empty address where the caller keeps the messages.
        """
        title = (self.later_title if previous else self.title).format(messages=messages, window=window, previous=previous)
        lines = [
            (self.archive if uri else self.no_archive).format(window=closed, uri=uri)
            for closed, uri in archives[:_SHOWN_ARCHIVES]
        ]
        if len(archives) > _SHOWN_ARCHIVES:
            lines.append(self.more_archives.format(window=archives[_SHOWN_ARCHIVES - 1][0]))
        explanation = self.explanation if any(uri for _, uri in archives) else self.kept_elsewhere
        # A blank line would end the frame before the summary begins.
        opening = [" ".join(line.split()) for line in (f"{self.mark} {title}", explanation, *lines)]
        return "\n".join((*opening, "", body))

    def read_frame(self, text: str) -> Framed | None:
        """A head taken apart; ``None`` for a text that is none."""
        if not text.startswith(" ".join(self.mark.split()) + " "):
            return None
        opening, blank, body = text.partition("\n\n")
        first, *lines = opening.split("\n")
        window = _WINDOW.search(first)
        if not blank or window is None:
            return None
        found = [match for line in lines if (match := _ADDRESS.search(line))]
        return Framed(window.group(), tuple((match.group(1), match.group(2)) for match in found), body)
