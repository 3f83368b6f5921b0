"""A fact, an entry, a session, a project: as data for programs and as a line that a model reads, with how sure it is.

Light: tools are declared beside it, and memory is loaded when one of them is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....vocabulary import Vocabulary

if TYPE_CHECKING:
    from ....engine.memory.entry import Entry
    from ....engine.memory.fact import Fact
    from ....engine.memory.memory import MemoryHit
    from ....engine.memory.projects import Project
    from ....engine.memory.summaries import Session, SessionInfo

__all__ = [
    "ago",
    "entry_data",
    "entry_line",
    "fact_data",
    "fact_line",
    "hit_data",
    "hit_line",
    "info_data",
    "info_line",
    "project_data",
    "project_line",
    "session_data",
]


def fact_data(fact: Fact) -> dict[str, object]:
    """A fact for programs."""
    return _fields(
        fact, "key", "value", "description", "importance", "project", "confidence", "created", "updated", "expires_at", "uri"
    )


def entry_data(entry: Entry) -> dict[str, object]:
    """An entry for programs."""
    return _fields(
        entry, "id", "type", "title", "content", "tags", "scope", "confidence", "created", "expires_at", "uses", "uri"
    )


def hit_data(hit: MemoryHit) -> dict[str, object]:
    """A match for programs."""
    from ....engine.memory.fact import Fact

    record = fact_data(hit.record) if isinstance(hit.record, Fact) else entry_data(hit.record)
    return {"family": hit.family, "id": hit.id, "score": hit.score, "snippet": hit.snippet, "record": record}


def fact_line(fact: Fact, words: Vocabulary) -> str:
    """A fact for a model."""
    from ....engine.memory.dossier import item_text

    value = item_text(fact.value, fact.uri, words)
    line = words.remembering.fact_line(fact.key, value, fact.description)
    return words.memorizing.fact.format(line=line, label=_label(fact, words))


def entry_line(entry: Entry, words: Vocabulary) -> str:
    """An entry for a model."""
    from ....engine.memory.dossier import item_text

    content = item_text(entry.content, entry.uri, words)
    return words.memorizing.entry_line(entry.id, entry.type, entry.title, content, _label(entry, words))


def hit_line(hit: MemoryHit, words: Vocabulary) -> str:
    """A match for a model."""
    from ....engine.memory.fact import Fact

    own = words.memorizing
    kind = own.as_fact if isinstance(hit.record, Fact) else own.as_entry.format(type=hit.record.type)
    snippet = "\n  ".join(hit.snippet.splitlines())
    return own.hit.format(id=hit.id, kind=kind, snippet=snippet, label=_label(hit.record, words))


def info_data(info: SessionInfo) -> dict[str, object]:
    """A session of a list for programs."""
    return _fields(info, "id", "project", "title", "tags", "saved", "characters", "open_steps", "damaged", "uri")


def info_line(info: SessionInfo, now: float, words: Vocabulary) -> str:
    """A session of a list for a model."""
    if info.damaged:
        return words.memorizing.damaged_session.format(id=info.id)
    return words.memorizing.session_line(info.id, info.title, ago(info.saved, now, words), info.open_steps, info.tags)


def session_data(session: Session) -> dict[str, object]:
    """A session for programs."""
    return _fields(
        session, "id", "project", "title", "summary", "tags", "decisions", "next_steps", "files", "created", "saved", "uri"
    )


def project_data(project: Project) -> dict[str, object]:
    """A project for programs."""
    return _fields(project, "id", "name", "root", "description", "created", "updated", "uri")


def project_line(project: Project, words: Vocabulary) -> str:
    """A project for a model."""
    return words.memorizing.project_line(project.id, project.name, project.root, project.description)


def ago(saved: float, now: float, words: Vocabulary) -> str:
    """When something was saved, in words."""
    return words.remembering.dossier.ago(max(0.0, now - saved) if saved else None)


def _fields(record: object, *names: str) -> dict[str, object]:
    values = {name: getattr(record, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _label(record: Fact | Entry, words: Vocabulary) -> str:
    from ....engine.memory.fact import Fact
    from ....engine.placement.labels import Labels, Provenance, day_of, label

    written = record.updated if isinstance(record, Fact) else record.created
    source = Provenance("fact" if isinstance(record, Fact) else "entry", day=day_of(written))
    return label(record.confidence, source, words.placing, Labels(dates=True))
