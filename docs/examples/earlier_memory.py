"""Makes a working directory as AI Toolbox leaves one, so that there is something to import."""

from pathlib import Path

import msgspec

MOMENT = 1_758_600_000_000  # milliseconds

records = [
    {
        "id": "ctx_1758600000000_a1b2c3",
        "timestamp": MOMENT,
        "type": "decision",
        "title": "Fender material",
        "content": "Fenders are rubber, not timber: timber rots below the waterline.",
        "tags": ["quay"],
    },
    {"key": "memory_1758600000001", "value": {"fact": "The harbour master is called Ada."}, "timestamp": MOMENT + 1},
    {
        "key": "session_summary_latest",
        "value": {
            "task_description": "Planned the new fenders",
            "pending_tasks": "- order the rubber",
            "decisions_made": "- rubber, not timber",
            "timestamp": MOMENT + 2,
        },
        "timestamp": MOMENT + 2,
    },
    {"key": "tool_usage", "value": {"read_file": 4}, "timestamp": MOMENT},
]

folder = Path("quay") / ".session_context"
folder.mkdir(parents=True, exist_ok=True)
(folder / ".ai_toolbox_memory.msgpack").write_bytes(msgspec.msgpack.encode(records))
