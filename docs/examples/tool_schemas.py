"""One tool, written for three targets; what a model answers is read back into the form that the tool knows."""

from transom import Tool
from transom.jsontext import dumps_text
from transom.wire.schemas import SCHEMA_PROFILE, convert_tool, restore_arguments

SEND = Tool(
    "send",
    "Send a request.",
    {
        "type": "object",
        "properties": {
            "url": {"type": "string", "format": "uri", "maxLength": 2048, "description": "Address."},
            "headers": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Headers."},
            "timeout": {"type": "integer", "minimum": 1, "default": 30, "description": "Seconds."},
        },
        "required": ["url"],
    },
)

strict, report = convert_tool(SEND, "openai-strict")
print(dumps_text(strict.parameters["properties"]["timeout"]))
for note in report.weakened:
    print(f"{note.where} {note.keyword}: {note.change}")

answered = {"url": "https://example.com", "headers": [{"name": "Accept", "value": "text/html"}], "timeout": None}
arguments = restore_arguments(SEND.parameters, answered, strict.extra[SCHEMA_PROFILE])
print(dumps_text(arguments))

for profile in ("gemini", "grammar"):
    tool, report = convert_tool(SEND, profile)
    print(profile, dumps_text(tool.parameters["properties"]["url"]), len(report.weakened))
