"""Digests of real sessions: they fit, they read back, and every word they quote was said."""

from __future__ import annotations

from pathlib import Path

import pytest

from transom.engine.overflow.digesting import digest
from transom.engine.overflow.digesting.notes import Notes, Quote
from transom.engine.overflow.digesting.reading import Reading
from transom.messages import Message
from transom.tokens.heuristic import Heuristic
from transom.vocabulary import ENGLISH
from transom.wire.transcripts.loading import load

from .spans import ARCHIVE

# The biggest are read up to here: what there is to see shows in a part of them.
_MESSAGES = 600


def _sessions(folder: Path) -> list[tuple[str, list[Message]]]:
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix != ".md":
            for conversation in load(path.read_bytes(), name=path.name).conversations:
                messages = [message for segment in conversation.segments for message in segment.messages]
                found.append((f"{path.name}:{conversation.id}", messages[:_MESSAGES]))
    return found


def _quotes(notes: Notes) -> list[Quote]:
    remarks = [notes.task, notes.stood, *notes.rules, *(request.said for request in notes.requests)]
    return [remark.quote for remark in remarks if remark is not None]


@pytest.mark.feature("O19")
def test_digests_of_every_shared_transcript_fit_and_quote_nothing_that_was_not_said(transcripts: Path) -> None:
    tokenizer = Heuristic()
    for name, messages in _sessions(transcripts):
        everything = "\n".join(message.text for message in messages)
        for budget in (150, 800, 3_000):
            made = digest(
                messages,
                previous=None,
                budget=budget,
                tokenizer=tokenizer,
                archive_uri=ARCHIVE.format(window="w1"),
                window="w1",
            )
            assert tokenizer.count(made.text) <= budget, name
            notes = Reading(ENGLISH.digesting).read(made.text)
            assert notes is not None or budget == 150, name
            if notes is None:
                continue
            said = [piece for quote in _quotes(notes) for piece in quote.pieces if isinstance(piece, str)]
            said += [note.line.text for note in (*notes.constraints, *notes.decisions)]
            said += [line.text for note in notes.errors for line in note.lines]
            for text in said:
                assert text in everything or text.startswith("[attached"), f"{name}: {text[:200]}"


@pytest.mark.feature("O19")
def test_a_long_session_digested_window_by_window_keeps_its_first_request(transcripts: Path) -> None:
    tokenizer = Heuristic()
    data = (transcripts / "pi-refactor.jsonl").read_bytes()
    messages = [message for segment in load(data).conversations[0].segments for message in segment.messages]
    previous: str | None = None
    for number, at in enumerate(range(0, len(messages), 60), 1):
        span = [*([Message("user", previous)] if previous else []), *messages[at : at + 60]]
        window = f"w{number}"
        previous = digest(
            span,
            previous=previous,
            budget=1_500,
            tokenizer=tokenizer,
            archive_uri=ARCHIVE.format(window=window),
            window=window,
        ).text
        assert tokenizer.count(previous) <= 1_500
        assert "## Task\n- w1:1 user" in previous
        assert (
            "> alright, read @packages/coding-agent/src/main.ts @packages/coding-agent/src/tui/tui-renderer.ts in full."
            in previous
        )
