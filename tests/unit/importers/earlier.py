"""Writes what the earlier systems wrote, in their formats and their places."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

MOMENT = 1_758_600_000_000
"""2025-09-23, in milliseconds."""

Record = Mapping[str, object]


def entry(name: str, content: str, **more: object) -> dict[str, object]:
    """A context entry."""
    return {
        "id": name,
        "timestamp": MOMENT,
        "date": "23.9.2025, 06:00:00",
        "type": "decision",
        "title": f"About {name}",
        "content": content,
        "tags": ["port"],
        "frequency": 1,
        **more,
    }


def state(key: str, value: object, timestamp: int = MOMENT) -> dict[str, object]:
    """A state record."""
    return {"key": key, "value": value, "timestamp": timestamp}


def fact(number: int, text: str) -> dict[str, object]:
    """A state record that holds a fact."""
    moment = MOMENT + number
    return state(f"memory_{moment}", {"fact": text, "timestamp": moment, "date": ""}, moment)


def summary(task: str, **more: object) -> dict[str, object]:
    """What a session summary consists of."""
    return {
        "task_description": task,
        "accomplishments": "- the crane moves",
        "pending_tasks": "- paint the crane\n- [x] oil the crane",
        "decisions_made": "• steel, not wood",
        "context_for_next_session": "see crane.md",
        "timestamp": MOMENT,
        "date": "",
        **more,
    }


def packed(body: object) -> str:
    """A summary as versions from 1.5.15 on kept it."""
    return base64.b64encode(gzip.compress(json.dumps(body).encode(), 9)).decode("ascii")


def write_store(folder: Path, records: Sequence[Record], name: str = ".session_context/.ai_toolbox_memory.msgpack") -> Path:
    """The file that both families share."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.msgpack.encode(records))
    return path


def write_json(folder: Path, name: str, body: object) -> Path:
    """One of the files that are JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")
    return path


def write_registry(folder: Path, *projects: tuple[str, str]) -> Path:
    """The registry of projects: names and paths."""
    listed = [{"name": name, "path": path, "lastAccessed": MOMENT, "sourceDirs": ["src/"]} for name, path in projects]
    return write_json(folder, ".session_context/project_registry.json", {"projects": listed, "lastUpdated": MOMENT})


def write_payload(folder: Path, text: str | bytes) -> Path:
    """A tool result that was pruned."""
    data = text.encode() if isinstance(text, str) else text
    path = folder / ".ai_toolbox" / "compaction" / f"{hashlib.sha256(data).hexdigest()}.payload"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def toolbox(folder: Path) -> Path:
    """A working directory with a little of everything."""
    write_store(
        folder,
        [
            entry("ctx_1_aa", "The old quay is closed since the flood."),
            entry("ctx_2_bb", "Cranes are checked on Mondays.", type="milestone", scope="global"),
            fact(1, "The harbour master is called Ada."),
            state("memory_17", "The pilot boat is blue."),
            state("session_summary_latest", summary("Moved the crane")),
            state("session_summary_16_data", packed(summary("Measured the depth", timestamp=MOMENT - 86_400_000))),
            state("session_summary_16_timestamp", MOMENT - 86_400_000),
            state("session_summary_15", json.dumps(summary("Drew the map", timestamp=MOMENT - 2 * 86_400_000))),
            state("tool_usage", {"read_file": 4}),
        ],
    )
    write_json(
        folder,
        ".session_context/sessions.json",
        {
            "sessions": [
                {"task_description": "Moved the crane", "timestamp": MOMENT + 12, "date": ""},
                {"task_description": "Counted the boats", "timestamp": MOMENT - 3 * 86_400_000, "date": ""},
            ],
            "total_count": 2,
            "last_updated": MOMENT,
        },
    )
    write_registry(folder, ("harbour", "/srv/harbour"), ("Lock Gates", "C:\\work\\gates"))
    write_payload(folder, "line of a log about barnacles\n" * 900)
    return folder


def mem(key: str) -> str:
    """The file name of a key."""
    return base64.urlsafe_b64encode(key.encode()).decode("ascii").rstrip("=") + ".mem"


def write_memory(folder: Path, key: str, value: object, **more: object) -> Path:
    """An entry of the library's memory."""
    body = {"value": value, "createdAt": MOMENT, "updatedAt": MOMENT + 5000, "updateCount": 2, **more}
    return write_json(folder, mem(key), body)


def write_offloaded(folder: Path, text: str, name: str = "") -> Path:
    """A text that the library offloaded."""
    path = folder / (name or f"vfs_{hashlib.sha256(text.encode()).hexdigest()[:16]}.txt")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def span(*messages: Record) -> str:
    """A span as the library archived it."""
    return json.dumps({"version": 1, "messages": messages})


SPAN = span(
    {"role": "user", "content": "Where are the barnacles?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at":"hull"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "Below the waterline."},
)


def library(folder: Path) -> Path:
    """A working directory of the library, up to version 4.1."""
    memory = folder / ".context_memory"
    write_memory(memory, "style/quotes", "double", description="in Python", importance=8)
    write_memory(memory, "größe der Schleuse", "110 m")
    write_memory(memory, "../escape", "kept under another key")
    write_memory(memory, "short", "gone", expiresAt=MOMENT)
    write_json(memory, "_index.json", ["style/quotes", "größe der Schleuse", "../escape", "short", "lost"])
    write_offloaded(folder / ".context_vfs", "a long listing of moorings\n" * 300)
    write_offloaded(folder / ".context_vfs", "an older listing\n" * 300, "vfs_1758600000000_0a1b2c3d.txt")
    write_offloaded(folder / ".context_vfs", SPAN)
    return folder


def library_root(folder: Path) -> Path:
    """A folder of the library's backend from version 4.2 on."""
    write_json(
        folder,
        "memory/team/lead",
        {"content": "Ada", "meta": {"createdAt": MOMENT, "updatedAt": MOMENT, "description": "who decides"}},
    )
    write_json(folder, "notes/todo/today.md", {"content": "1. paint\n2. oil\n", "meta": {"createdAt": MOMENT}})
    write_offloaded(folder / "vfs", "tides of the week\n" * 300)
    path = folder / "archive" / "span-1"
    path.parent.mkdir(parents=True)
    path.write_text(SPAN, encoding="utf-8")
    return folder
