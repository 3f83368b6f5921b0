"""Read an agent's session file: conversations, segments, model calls, and what became no message."""

import json
from pathlib import Path

from transom.wire.transcripts import load, reader_names

# A session of two lines and a bit, as a crash would leave it.
LINES = [
    {"role": "user", "content": "How many words has notes.md?"},
    {"role": "assistant", "content": "Three."},
]
path = Path("session.jsonl")
path.write_text("\n".join(json.dumps(line) for line in LINES) + '\n{"role": "user", "cont', encoding="utf-8")

transcript = load(path.read_bytes(), name=path.name)
print(transcript.format, "of", len(reader_names()), "formats")

for conversation in transcript.conversations:
    for number, segment in enumerate(conversation.segments, 1):
        print(f"{conversation.id}, segment {number}: {len(segment.messages)} messages")
        for call in segment.calls:
            print(f"  a call after {call.at} of them", call.model, call.usage)

for skip in transcript.skipped:
    print("damaged" if skip.damaged else "no message", skip.where, skip.kind, skip.reason, sep=" · ")

assert transcript.format == "openai-chat-lines"
assert [call.at for call in transcript.conversations[0].segments[0].calls] == [1]
assert transcript.skipped[-1].where == "line 3"
