"""Records ``demo-session.json``: a scripted engineering session whose tools really run.

The lines of the user and of the assistant are written in ``demo/*.txt``; everything a tool answers is what it answered when
this script ran it. The project of the story is built in a temporary directory that is called ``/home/dev/loglens`` in the
record. Must not know Transom: the session is one that any agent could have had.

The story is a sequence of blocks, each opened by a line ``%% VERB ARGUMENT``:

    file PATH        a file that is there before the session begins
    setup COMMAND    a command run before the session begins
    user             a message of the user
    say              a message of the assistant; the calls that follow belong to it
    read_file PATH [FROM-TO]   list_dir PATH   search PATTERN :: PATH   run_command COMMAND (or the block's text)
    write_file PATH  edit_file PATH (old text, a line ``%%->``, new text)   update_plan (lines ``[x]``, ``[>]``, ``[ ]``)
    expect TEXT      the last result must contain this, or recording stops: what the assistant says must stay true

Run with a Python that has pytest: ``python examples/record_demo.py``.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
STORY = HERE / "demo"
TARGET = HERE / "demo-session.json"
NEUTRAL = "/home/dev/loglens"
MODEL = "gpt-4.1"
SEARCH_LIMIT = 200
"""Matches one search shows at most."""


@dataclass(frozen=True, slots=True)
class Block:
    """One ``%%`` block of the story."""

    verb: str
    argument: str
    body: str
    where: str


def read_story(folder: Path) -> Iterator[Block]:
    """The blocks of every story file, in the order of their names."""
    for path in sorted(folder.glob("*.txt")):
        head = re.compile(r"^%% (\w+) ?(.*)$")
        verb, argument, where, lines = "", "", "", list[str]()
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            match = head.match(line)
            if match is None:
                lines.append(line)
                continue
            if verb:
                yield Block(verb, argument, "\n".join(lines), where)
            verb, argument, where, lines = match[1], match[2].strip(), f"{path.name}:{number}", []
        if verb:
            yield Block(verb, argument, "\n".join(lines), where)


@dataclass(slots=True)
class Workshop:
    """The directory the session works in, and the tools that work there."""

    root: Path
    plan: list[dict[str, str]] = field(default_factory=list)

    def neutral(self, text: str) -> str:
        """Replace what names this machine by what any machine could be called."""
        for real, shown in (
            (str(self.root.resolve()), NEUTRAL),
            (str(self.root), NEUTRAL),
            (str(self.root.parent), "/home/dev"),
            (sys.prefix, "/home/dev/.venv"),
            (sys.base_prefix, "/usr"),
            (tempfile.gettempdir() + "/", "/var/tmp/"),
        ):
            text = text.replace(real, shown)
        return text

    def use(self, name: str, arguments: Mapping[str, object]) -> str:
        """Run one tool and return what the model would be told."""
        try:
            match name:
                case "read_file":
                    text = self.read_file(arguments)
                case "write_file":
                    text = self.write_file(str(arguments["path"]), str(arguments["content"]))
                case "edit_file":
                    text = self.edit_file(str(arguments["path"]), str(arguments["old"]), str(arguments["new"]))
                case "list_dir":
                    text = self.list_dir(str(arguments["path"]))
                case "search":
                    text = self.search(str(arguments["pattern"]), str(arguments["path"]))
                case "run_command":
                    text = self.run_command(str(arguments["command"]))
                case "update_plan":
                    text = self.update_plan(arguments["steps"])
                case _:
                    raise SystemExit(f"the story calls an unknown tool: {name}")
        except OSError as error:
            text = f"Error: {error.strerror}: {arguments.get('path')}"
        return self.neutral(text)

    def read_file(self, arguments: Mapping[str, object]) -> str:
        text = (self.root / str(arguments["path"])).read_bytes().decode("utf-8", errors="replace")
        start, end = arguments.get("start_line"), arguments.get("end_line")
        if isinstance(start, int) and isinstance(end, int):
            return "".join(text.splitlines(keepends=True)[start - 1 : end])
        return text

    def write_file(self, path: str, content: str) -> str:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        known = target.exists()
        target.write_text(content, encoding="utf-8", newline="\n")
        return f"{'Replaced' if known else 'Created'} {path} ({content.count(chr(10))} lines, {len(content.encode())} bytes)"

    def edit_file(self, path: str, old: str, new: str) -> str:
        target = self.root / path
        text = target.read_text(encoding="utf-8")
        found = text.count(old)
        if found != 1:
            return f"Error: the old text occurs {found} times in {path}, it must occur exactly once. Nothing was changed."
        target.write_text(text.replace(old, new), encoding="utf-8", newline="\n")
        line = text[: text.index(old)].count("\n") + 1
        return f"Edited {path} at line {line}: {old.count(chr(10)) + 1} lines became {new.count(chr(10)) + 1}"

    def list_dir(self, path: str) -> str:
        entries = sorted((self.root / path).iterdir(), key=lambda item: (item.is_file(), item.name))
        return "\n".join(
            f"{item.name}/" if item.is_dir() else f"{item.name}  {item.stat().st_size:,} bytes"
            for item in entries
            if item.name not in (".git", "__pycache__")
        )

    def search(self, pattern: str, path: str) -> str:
        start = self.root / path
        files = [start] if start.is_file() else sorted(item for item in start.rglob("*") if item.is_file())
        wanted = re.compile(pattern)
        hits = []
        for item in files:
            if ".git" in item.parts or "__pycache__" in item.parts:
                continue
            for number, line in enumerate(item.read_bytes().decode("utf-8", errors="replace").splitlines(), start=1):
                if wanted.search(line):
                    hits.append(f"{item.relative_to(self.root)}:{number}: {line.strip()}")
        if not hits:
            return f"No match for {pattern} in {path}"
        more = f"\n… {len(hits) - SEARCH_LIMIT} more matches" if len(hits) > SEARCH_LIMIT else ""
        return "\n".join(hits[:SEARCH_LIMIT]) + more

    def run_command(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        output = done.stdout.decode("utf-8", errors="replace")
        return f"exit code {done.returncode}\n{output}" if output else f"exit code {done.returncode}, no output"

    def environment(self) -> dict[str, str]:
        """A small environment of its own, so that nothing of this machine shows and dates do not move."""
        return {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.root.parent),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "PYTHONPATH": str(self.root / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": "-p no:cacheprovider --color=no --basetemp=../pytest",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PAGER": "cat",
            **{f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in IDENTITY.items()},
        }

    def update_plan(self, steps: object) -> str:
        assert isinstance(steps, list)
        self.plan = steps
        counts = {status: sum(step["status"] == status for step in steps) for status in ("done", "in_progress", "open")}
        return f"Plan updated: {counts['done']} done, {counts['in_progress']} in progress, {counts['open']} open"


IDENTITY = {"NAME": "Dev", "EMAIL": "dev@example.com", "DATE": "2025-03-05T10:00:00+00:00"}
PLAN_MARKS = {"x": "done", ">": "in_progress", " ": "open"}


def arguments_of(block: Block) -> dict[str, object] | None:
    """The arguments of a tool call, or None where the block is no call."""
    text = block.body.strip("\n")
    match block.verb:
        case "read_file":
            path, _, lines = block.argument.partition(" ")
            arguments: dict[str, object] = {"path": path}
            if lines:
                start, _, end = lines.partition("-")
                arguments |= {"start_line": int(start), "end_line": int(end)}
            return arguments
        case "list_dir":
            return {"path": block.argument}
        case "search":
            pattern, _, path = block.argument.partition(" :: ")
            return {"pattern": pattern, "path": path}
        case "run_command":
            return {"command": block.argument or text}
        case "write_file":
            return {"path": block.argument, "content": text + "\n"}
        case "edit_file":
            old, arrow, new = text.partition("\n%%->\n")
            if not arrow:
                raise SystemExit(f"{block.where}: an edit needs a line %%->")
            return {"path": block.argument, "old": old, "new": new}
        case "update_plan":
            found = re.findall(r"^\[(.)\] (.+)$", text, flags=re.MULTILINE)
            return {"steps": [{"step": step, "status": PLAN_MARKS[mark]} for mark, step in found]}
        case _:
            return None


def record(blocks: Iterator[Block], workshop: Workshop) -> list[dict[str, object]]:
    """Play the story and return the messages."""
    system = (STORY / "system.md").read_text(encoding="utf-8").strip()
    messages: list[dict[str, object]] = [{"role": "system", "content": system}]
    calls: list[dict[str, object]] = []
    results: list[dict[str, object]] = []
    count = 0
    for block in blocks:
        text = block.body.strip("\n")
        arguments = arguments_of(block)
        if arguments is not None:
            count += 1
            identifier = f"call_{count:04d}"
            function = {"name": block.verb, "arguments": json.dumps(arguments, ensure_ascii=False)}
            if not calls:
                messages[-1]["tool_calls"] = calls
            calls.append({"id": identifier, "type": "function", "function": function})
            results.append({"role": "tool", "tool_call_id": identifier, "content": workshop.use(block.verb, arguments)})
            continue
        match block.verb:
            case "file":
                workshop.write_file(block.argument, text + "\n")
            case "setup":
                print(workshop.run_command(block.argument or text), end="", file=sys.stderr)
            case "expect":
                if block.argument not in str(results[-1]["content"]):
                    shown = str(results[-1]["content"])[:3000]
                    raise SystemExit(f"{block.where}: the result does not say {block.argument!r}:\n{shown}")
            case "user" | "say":
                messages += results
                calls, results = [], []
                role = "user" if block.verb == "user" else "assistant"
                messages.append({"role": role, "content": text or None})
            case _:
                raise SystemExit(f"{block.where}: unknown verb {block.verb}")
    return messages + results


def write_session(messages: list[dict[str, object]], target: Path) -> None:
    """Write the request body, one message a line so that a reader and a diff can follow it."""
    tools = json.loads((STORY / "tools.json").read_text(encoding="utf-8"))
    rows = ",\n".join(json.dumps(message, ensure_ascii=False) for message in messages)
    schemas = ",\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    body = f'{{"model": "{MODEL}", "temperature": 0.2,\n"tools": [\n{schemas}\n],\n"messages": [\n{rows}\n]}}\n'
    target.write_text(body, encoding="utf-8", newline="\n")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="loglens-") as folder:
        root = Path(folder) / "loglens"
        root.mkdir()
        messages = record(read_story(STORY), Workshop(root))
    target = Path(os.environ.get("DEMO_SESSION", TARGET))
    write_session(messages, target)
    large = sorted((len(str(message["content"]).encode()) for message in messages if message["role"] == "tool"), reverse=True)
    print(f"{len(messages)} messages, {target.stat().st_size:,} bytes, largest results {large[:6]}")


if __name__ == "__main__":
    main()
