"""Writes the reference pages that follow from the code: settings, commands, errors, the library, the rules of providers.

``script/docs`` runs it; a test holds the pages to what it would write (``--check``).
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from docstrings import described
from rulebook import rules
from toolpages import toolbox_page

from transom import errors
from transom.cli.app import COMMANDS, run
from transom.settings import catalogue

REFERENCE = Path(__file__).resolve().parent / "reference"
WIRE = Path(str(errors.__file__)).parent / "wire"
NOTICE = "<!-- Written by script/docs from the code. Change the code, then run it again. -->\n"

LIBRARY = (
    ("A conversation", "transom", ("Context", "PruneSettings", "Handoff", "guard", "Recall", "Labels")),
    ("", "transom.engine.overflow.guard", ("Guard",)),
    ("", "transom.engine.overflow.budget", ("Usage",)),
    ("", "transom", ("Snapshot", "ContextPool")),
    ("", "transom.engine.snapshot", ("Difference",)),
    ("", "transom.engine.pool", ("InvalidKey",)),
    ("What a compile gives", "transom", ("Payload",)),
    ("", "transom.engine.payload", ("PayloadMeta",)),
    ("", "transom.engine.ledger.live", ("Moved",)),
    ("", "transom.engine.ledger.records", ("Lineage",)),
    ("", "transom.engine.overflow.guard", ("ClosingFigures",)),
    ("", "transom.engine.placement.prefix", ("PrefixReport",)),
    ("", "transom.engine.placement.cache_audit", ("Finding",)),
    ("", "transom.engine.explaining", ("Explanation", "explain_flight")),
    ("What is added to it", "transom", ("MemorySettings", "Temporal")),
    ("", "transom.engine.placement.announcements", ("Announcement",)),
    ("Memory", "transom.engine.memory.memory", ("Memory",)),
    ("", "transom.engine.memory.facts", ("Facts",)),
    ("", "transom.engine.memory.fact", ("Fact",)),
    ("", "transom.engine.memory.hooks", ("Change",)),
    ("", "transom.engine.memory.entries", ("Entries",)),
    ("", "transom.engine.memory.entry", ("Entry",)),
    ("", "transom", ("Sessions", "Projects", "manage_projects", "open_memory", "switch_context")),
    ("", "transom.engine.memory.switching", ("MemoryScope",)),
    ("", "transom.engine.memory.origin", ("Origin",)),
    ("Migration", "transom.importers", ("import_memory", "Report", "Taken")),
    ("", "transom.importers.findings", ("Left",)),
    ("Skills", "transom", ("Skill", "SkillLibrary", "parse_skill", "render_skill")),
    ("", "transom.engine.skills.listing", ("Listing",)),
    ("", "transom.engine.skills.library", ("Shadowed", "Unusable")),
    ("Tool definitions", "transom", ("minify", "convert_tools", "restore_arguments")),
    ("Retrieval", "transom", ("Retrieval",)),
    ("Tools", "transom", ("Registered", "ToolNamespace", "Toolkit")),
    ("", "transom.engine.selection.blocking", ("Verdict",)),
    ("", "transom", ("search_tools",)),
    ("", "transom.engine.selection.ranking", ("ToolHit", "ToolIndex")),
    ("Messages", "transom", ("Message", "Text", "Call", "Result", "Tool")),
    ("", "transom.messages", ("Thinking", "RedactedThinking", "Attachment", "Opaque")),
    ("Strategies", "transom", ("clear", "digest", "reset", "chain", "summarize", "anchored", "background", "server")),
    ("", "transom.engine.overflow.strategy", ("Strategy", "Span", "Room", "Outcome", "Item")),
    ("Histories of your own", "transom", ("plan_compaction", "compact_history", "summarize_history", "CompactionSettings")),
    ("", "transom.engine.overflow.durable", ("CompactionPlan", "CompactionResult")),
    ("The store", "transom", ("Store", "SQLiteBackend", "FilesystemBackend", "MemoryBackend")),
    ("", "transom.store.search", ("SearchHit",)),
    ("", "transom.store.backend", ("StorageBackend", "StoredEntry", "Write")),
    (
        "Events",
        "transom.engine.events",
        (
            "CompileStarted",
            "CompileDone",
            "CompressStarted",
            "CompressEnded",
            "OffloadCreated",
            "ToolBlocked",
            "NewContextDropped",
            "JobDropped",
            "WindowWarned",
            "CacheWarned",
            "InvariantBroken",
        ),
    ),
    ("", "transom.engine.memory.events", ("MemoryChanged", "MemoryExpired")),
    ("", "transom.observe", ("HandlerError", "Sink")),
    ("", "transom.recorder.flights", ("FlightRecorder", "flight")),
    ("", "transom.recorder.telemetry", ("TelemetrySink",)),
    ("Counting tokens", "transom.tokens", ("Tokenizer", "Heuristic", "bpe", "Custom", "Calibration")),
    ("Wire formats", "transom.wire.convert", ("convert",)),
    ("", "transom.wire.registry", ("builtin_registry", "FormatRegistry")),
    ("", "transom.wire.format", ("Head", "Request")),
    ("", "transom.wire.report", ("Report", "Note", "Violation")),
    ("Models", "transom.upstream", ("ChatModel", "Completion", "learn_window", "Client", "Limits")),
    ("Testing", "transom.testing.provider", ("ScriptedProvider", "Reply", "says", "calls", "Fault", "Received")),
    ("", "transom.testing.model", ("ScriptedModel",)),
    ("Errors", "transom", ("TransomError",)),
)
"""What the page on the library tells of: heading (empty: the one before goes on), where the names are imported from, names."""

PROVIDERS = (
    ("OpenAI Chat Completions", "openai", "openai_chat"),
    ("OpenAI Responses", "responses", "openai_responses"),
    ("Anthropic Messages", "anthropic", "anthropic"),
    ("Gemini generateContent", "gemini", "gemini"),
)


def pages() -> dict[Path, str]:
    """The generated pages with their text."""
    made = {
        "settings.md": settings(),
        "cli.md": commands(),
        "errors.md": error_tree(),
        "library.md": library(),
        "rules.md": provider_rules(),
        "toolbox.md": f"{NOTICE}\n{toolbox_page()}",
    }
    return {REFERENCE / name: text for name, text in made.items()}


def settings() -> str:
    """One row a setting."""
    rows = [
        "| setting | default | what it is | valid | variable | option |",
        "|---|---|---|---|---|---|",
        *(
            f"| `{setting.key}` | {_default(setting.default)} | {setting.help} | {setting.valid} "
            f"| `{setting.variable}` | `{setting.flag}` |"
            for setting in catalogue().values()
        ),
    ]
    intro = (
        "Where a value comes from, in rising precedence: the default, `transom.toml` in the user's configuration directory,\n"
        "the nearest `transom.toml` from the working directory upward (no further than the repository it lies in), the\n"
        "environment, the command line. `transom config show` prints each value and its source.\n"
        "How to set one: [Configure](../how-to/configure.md).\n"
    )
    return "\n".join([NOTICE, "# Settings\n", intro, *rows, ""])


def commands() -> str:
    """The help of every command, as a pipe gets it."""
    intro = (
        "Every command takes `--json`. Exit status: 0 ok, 1 the work failed, 2 wrong usage, 130 interrupted, 141 the reader\n"
        "of the output went away. Errors are one line on stderr. On a terminal tables are drawn, in a pipe they are aligned\n"
        "lines.\n"
    )
    parts = [NOTICE, "# Commands\n", intro, _fenced(help_of())]
    for command in COMMANDS:
        for words in (command.name, *(f"{command.name} {name}" for name in subcommands(help_of(command.name)))):
            parts += [f"## transom {words}\n", _fenced(help_of(*words.split()))]
    return "\n".join(parts)


def help_of(*words: str) -> str:
    """What ``transom WORDS --help`` prints into a pipe."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = run([*words, "--help"])
    if status:
        raise SystemExit(f"transom {' '.join(words)} --help ends with status {status}")
    return "\n".join(line.rstrip() for line in printed.getvalue().strip().splitlines())


def subcommands(text: str) -> Iterator[str]:
    """The names in the list of commands of a help text."""
    for line in text.partition("Commands:\n")[2].splitlines():
        name, colon, _ = line.strip().partition(": ")
        if colon and line.startswith("  ") and not name.startswith("-") and " " not in name:
            yield name


def error_tree() -> str:
    """The tree as the module draws it, and one row a class."""
    drawing = (errors.__doc__ or "").partition("\n\n")[2].partition("\n\n")[2].strip()
    rows = ["| error | code | when |", "|---|---|---|"]
    for name in errors.__all__:
        kind = getattr(errors, name)
        first = " ".join((kind.__doc__ or "").strip().split("\n\n")[0].split())
        rows.append(f"| `{name}` | `{kind.code}` | {first} |")
    intro = "Branch on `code`; `hint` says what can be done. `from transom.errors import StoreError`.\n"
    return "\n".join([NOTICE, "# Errors\n", intro, _fenced(drawing), *rows, ""])


def library() -> str:
    """Every public name, from its docstring."""
    intro = (
        "What is imported from `transom` itself is the small pinned surface; the other names are what its arguments, results\n"
        "and extension points are made of. Errors have [their own page](errors.md). How to put it to work:\n"
        "[Use it in an agent](../how-to/use-in-an-agent.md).\n"
    )
    parts = [NOTICE, "# Library\n", intro, *(_contents()), ""]
    for heading, home, names in LIBRARY:
        parts += [f"## {heading}\n"] if heading else []
        parts += [described(name, getattr(importlib.import_module(home), name), home) for name in names]
    return "\n".join(parts)


def _contents() -> Iterator[str]:
    by_heading: dict[str, list[str]] = {}
    for heading, _, names in LIBRARY:
        by_heading.setdefault(heading or next(reversed(by_heading)), []).extend(f"[{name}](#{name.lower()})" for name in names)
    for heading, links in by_heading.items():
        yield f"- {heading}: {', '.join(links)}"


def provider_rules() -> str:
    """Every rule that the validators know, with the provider's words."""
    intro = (
        "What `transom validate` names, in the words the API uses. `…` stands for what depends on the payload.\n"
        "Each violation also names its place, the index of the message, and where the rule is written down\n"
        "([how to validate](../how-to/convert-and-validate.md)).\n"
    )
    parts = [NOTICE, "# Rules of the providers\n", intro]
    for title, prefix, folder in PROVIDERS:
        parts += [f"## {title}\n", "| rule | what the API says |", "|---|---|"]
        for rule, said in rules(WIRE / folder / "rules.py", prefix).items():
            words = "<br>".join(text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ") for text in said)
            parts.append(f"| `{rule}` | {words or '…'} |")
        parts.append("")
    return "\n".join(parts)


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```\n"


def _default(value: object) -> str:
    match value:
        case None:
            return "unset"
        case bool():
            return "`true`" if value else "`false`"
        case _:
            return f"`{value}`"


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` name those that are out of date."""
    # How wide help is drawn.
    os.environ["COLUMNS"] = "100"
    made = pages()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.name} is out of date: run script/docs")
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path], encoding="utf-8")
        print(f"wrote {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
