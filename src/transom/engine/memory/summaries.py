"""A session's summary as it is stored: packed, a few values beside it for lists, plain text for search.

Knows the form, no store. Unpacked it is one line of JSON (everything but the summary), then the summary as it was given: a text
that a person and a model read as it stands. What lies beside the entry only saves unpacking it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...errors import InputError, IntegrityError, JSONError
from ...jsontext import dumps, loads
from ...store.backend import StoredEntry
from ...store.blobs import encode_text
from ...store.packing import MAX_UNPACKED, pack, unpack
from .origin import Origin, origin_meta, origin_of
from .stored import text_of

__all__ = ["Session", "SessionInfo", "draft", "info_of", "packed", "session_of"]

_TITLE = 120
_MOST_BYTES = MAX_UNPACKED // 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session as it was saved.

    Attributes:
        id, project: which; the project is empty for a session of none.
        uri: where it is stored (``transom store get --expand URI`` gives it as text).
        title: one line.
        summary: the text, exactly as it was given.
        tags: for lists and search.
        decisions, next_steps, files: one line each, as they were given.
        created, saved: unix times in seconds: first and last saved. 0.0 where they are not known.
        origin: where it was brought from; ``None`` for what was saved here.
    """

    id: str
    project: str
    uri: str
    title: str
    summary: str
    tags: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    created: float = 0.0
    saved: float = 0.0
    origin: Origin | None = None

    @property
    def open_steps(self) -> tuple[str, ...]:
        """The next steps that are not ticked off: a step that begins with ``[x]`` is done."""
        return tuple(step for step in self.next_steps if not step.lstrip("-* ").lower().startswith("[x]"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """One line of a list of sessions; read without unpacking the summary.

    Attributes:
        id, project, uri, title, tags, created, saved: as in ``Session``.
        characters: of the summary.
        open_steps: how many next steps are not ticked off.
        damaged: what is stored there cannot be read; the other fields are empty then.
    """

    id: str
    project: str
    uri: str
    title: str = ""
    tags: tuple[str, ...] = ()
    created: float = 0.0
    saved: float = 0.0
    characters: int = 0
    open_steps: int = 0
    damaged: bool = False


def draft(summary: str, *, title: str, saved: float, origin: Origin | None = None, **lists: Iterable[str]) -> dict[str, object]:
    """What a session is made of, in the order it is stored in.

    Raises:
        InputError: an empty summary, or a text where a list of texts is meant.
    """
    if not summary.strip():
        raise InputError("an empty session summary", hint="say what was done, what was decided and what is left to do")
    return {
        "title": _one_line(title) or _first_line(summary),
        "summary": summary,
        **{name: _lines(values, name) for name, values in lists.items()},
        "saved": saved,
        **origin_meta(origin),
    }


def session_of(entry: StoredEntry, *, id: str, project: str, uri: str) -> Session:  # noqa: A002 - the field's name
    """A session, read.

    Raises:
        IntegrityError: what is stored cannot be read.
    """
    body = _body(entry, uri)
    return Session(
        id=id,
        project=project,
        uri=uri,
        title=_text(body, "title"),
        summary=_text(body, "summary"),
        tags=_texts(body, "tags"),
        decisions=_texts(body, "decisions"),
        next_steps=_texts(body, "next_steps"),
        files=_texts(body, "files"),
        created=_number(body, "created"),
        saved=_number(body, "saved"),
        origin=origin_of(body),
    )


def info_of(entry: StoredEntry, *, id: str, project: str, uri: str) -> SessionInfo:  # noqa: A002 - the field's name
    """A session's line in a list."""
    meta = entry.meta
    if "saved" not in meta:
        # What lies beside an entry can be lost in a copy of plain files.
        try:
            meta = _beside(_body(entry, uri))
        except IntegrityError:
            return SessionInfo(id=id, project=project, uri=uri, damaged=True)
    return SessionInfo(
        id=id,
        project=project,
        uri=uri,
        title=_text(meta, "title"),
        tags=_texts(meta, "tags"),
        created=_number(meta, "created"),
        saved=_number(meta, "saved"),
        characters=int(_number(meta, "characters")),
        open_steps=int(_number(meta, "open_steps")),
    )


def packed(body: Mapping[str, object], created: float) -> tuple[bytes, dict[str, object], str]:
    """What is stored, what lies beside it, and what search sees."""
    whole = {**body, "created": created}
    summary = encode_text(_text(whole, "summary"))
    data = dumps({key: value for key, value in whole.items() if key != "summary"}) + b"\n" + summary
    if len(data) > _MOST_BYTES:
        raise InputError(
            f"a session summary of {len(data):,} bytes", hint=f"at most {_MOST_BYTES:,}; what is longer belongs in notes"
        )
    lines = [_text(whole, "title"), " ".join(_texts(whole, "tags")), _text(whole, "summary")]
    lines += [line for key in ("decisions", "next_steps", "files") for line in _texts(whole, key)]
    return pack(data), _beside(whole), "\n".join(line for line in lines if line)


def _beside(body: Mapping[str, object]) -> dict[str, object]:
    steps = Session(id="", project="", uri="", title="", summary="", next_steps=_texts(body, "next_steps")).open_steps
    return {
        "title": _text(body, "title"),
        "tags": list(_texts(body, "tags")),
        "created": _number(body, "created"),
        "saved": _number(body, "saved"),
        "characters": len(_text(body, "summary")),
        "open_steps": len(steps),
    }


def _body(entry: StoredEntry, uri: str) -> Mapping[str, object]:
    try:
        header, _, summary = unpack(entry.data).partition(b"\n")
        body = loads(header)
    except (IntegrityError, JSONError) as error:
        raise IntegrityError(f"{uri} cannot be read: {error.message}", hint="restore it from a copy of the store") from None
    if not isinstance(body, Mapping):
        raise IntegrityError(f"{uri} is no session", hint="restore it from a copy of the store")
    return {**body, "summary": text_of(summary)}


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _texts(values: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = values.get(key)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list | tuple) else ()


def _number(values: Mapping[str, object], key: str) -> float:
    value = values.get(key)
    return float(value) if isinstance(value, int | float) else 0.0


def _lines(values: Iterable[str], what: str) -> list[str]:
    listed: list[object] = [] if isinstance(values, str) else list(values)
    lines = [value.strip() for value in listed if isinstance(value, str)]
    if isinstance(values, str) or len(lines) != len(listed):
        raise InputError(f"{what} is a list of texts", hint=f'for example {what}=["one", "another"]')
    return list(dict.fromkeys(filter(None, lines)))


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"


def _first_line(text: str) -> str:
    return _one_line(next(line for line in text.splitlines() if line.strip()).strip().lstrip("#*-> ") or text)
