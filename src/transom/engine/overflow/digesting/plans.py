"""Open work: plans that tools keep, and checkboxes that people and models write.

Knows the shapes of plans (a list of entries with a text and a state), not the tools by name. The newest state of an entry wins;
a whole plan replaces the one its tool set before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .excerpts import line_of
from .notes import TaskNote

__all__ = ["Plans"]

_LIST_KEYS = ("todos", "plan", "tasks", "items", "steps", "todo_list", "todoList", "task_list")
_TEXT_KEYS = ("content", "step", "title", "subject", "description", "text", "task", "name", "todo")
_DONE = re.compile(r"complet|done|finish|closed|cancel|skip|resolved|erledigt|terminé|hecho|完了|完成", re.IGNORECASE)
_DOING = re.compile(r"progress|active|doing|current|started|进行|進行", re.IGNORECASE)
_BOX = re.compile(
    r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX~✓✔-])\][ \t]+(\S.*?)[ \t]*$|^[ \t]*(☐|☑|☒|✅|⬜|□)[ \t]*(\S.*?)[ \t]*$",
    re.MULTILINE,
)
_MARKS = ("[ ]", "[x]", "[X]", "[~]", "[-]", "[✓]", "[✔]", "☐", "☑", "☒", "✅", "⬜", "□")
_ID = re.compile(r"#?(\d{1,6})\b")
_CREATES = re.compile(r"(?:task|todo|issue).*(?:create|add)|(?:create|add).*(?:task|todo)", re.IGNORECASE)
_UPDATES = re.compile(r"(?:task|todo).*(?:update|complete|done|set)|(?:update|complete).*(?:task|todo)", re.IGNORECASE)
_WIDEST = 240
_MOST_BOXES = 200


class Plans:
    """Collects open work while a span is told."""

    __slots__ = ("_boxes", "_files", "_numbered", "_sets")

    def __init__(self, earlier: Iterable[TaskNote] = ()) -> None:
        """``earlier``: tasks of an earlier window; those a tool keeps under an id can be updated by it."""
        self._sets: dict[str, tuple[TaskNote, ...]] = {}
        self._numbered = {note.source[1:]: note for note in earlier if note.source.startswith("#")}
        self._boxes: dict[str, TaskNote] = {}
        self._files: set[str] = set()

    def tool(self, place: str, name: str, arguments: Mapping[str, object], answer: str | None) -> bool:
        """Take a call that keeps a plan. Returns whether it was one."""
        for key in _LIST_KEYS:
            entries = arguments.get(key)
            if isinstance(entries, list) and entries:
                notes = [note for entry in entries if (note := _entry(place, entry)) is not None]
                if notes and len(notes) * 2 >= len(entries):
                    self._sets[name] = tuple(notes)
                    return True
        if _CREATES.search(name):
            note = _entry(place, arguments)
            if note is not None:
                found = _ID.search(answer or "")
                number = found.group(1) if found else str(len(self._numbered) + 1)
                self._numbered[number] = TaskNote(place, note.state, note.line, f"#{number}")
                return True
        if _UPDATES.search(name):
            return self._update(arguments)
        return False

    def _update(self, arguments: Mapping[str, object]) -> bool:
        for key in ("taskId", "task_id", "id", "number"):
            number = str(arguments.get(key, "")).lstrip("#")
            note = self._numbered.get(number)
            if note is not None:
                state = arguments.get("status", arguments.get("state", "done"))
                self._numbered[number] = TaskNote(note.place, _state(state), note.line, note.source)
                return True
        return False

    def text(self, place: str, text: str, file: str = "") -> None:
        """Take the checkboxes of a text; ``file`` is the name of the file that holds them."""
        if not any(mark in text for mark in _MARKS):
            return
        for count, match in enumerate(_BOX.finditer(text)):
            if count >= _MOST_BOXES:
                break
            box, words, mark, marked = match.groups()
            line = line_of(words or marked, _WIDEST)
            state = "open" if box == " " or mark in ("☐", "⬜", "□") else "doing" if box in ("~", "-") else "done"
            known = self._boxes.get(line.text)
            if state != "done" or known is not None or box is not None:
                self._boxes.pop(line.text, None)
                self._files.add(file)
                self._boxes[line.text] = TaskNote(place, state, line, file)

    def gone(self, file: str) -> None:
        """A file was deleted, and its checkboxes with it."""
        if file in self._files:
            self._files.discard(file)
            self._boxes = {text: note for text, note in self._boxes.items() if note.source != file}

    def notes(self) -> tuple[TaskNote, ...]:
        """All entries, the state of each as last seen."""
        gathered: dict[str, TaskNote] = {}
        for note in (
            *self._boxes.values(),
            *self._numbered.values(),
            *(note for notes in self._sets.values() for note in notes),
        ):
            gathered[note.line.text] = note
        return tuple(gathered.values())


def _entry(place: str, entry: object) -> TaskNote | None:
    if isinstance(entry, str) and entry.strip():
        return TaskNote(place, "open", line_of(entry, _WIDEST), "plan")
    if not isinstance(entry, Mapping):
        return None
    words = next((value for key in _TEXT_KEYS if isinstance(value := entry.get(key), str) and value.strip()), "")
    if not words:
        return None
    state = next((value for key in ("status", "state", "done", "completed") if (value := entry.get(key)) is not None), "open")
    return TaskNote(place, _state(state), line_of(words, _WIDEST), "plan")


def _state(value: object) -> str:
    if isinstance(value, bool):
        return "done" if value else "open"
    text = str(value)
    return "done" if _DONE.search(text) else "doing" if _DOING.search(text) else "open"
