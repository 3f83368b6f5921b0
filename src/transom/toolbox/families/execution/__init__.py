"""Running code and commands: always confined, always bounded, the exit status always told."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from ...access.workspace import Workspace
from ...sandbox import Limits, Sandbox, interpreter
from ...tool import Family, Refused, Result, ToolContext, tool

__all__ = ["FAMILY"]

_CODE_SECONDS = 60.0
_COMMAND_SECONDS = 300.0
_SCRIPT_MEMORY = 256 << 20
_PYTHON_MEMORY = 1 << 30
_PYTHON_ADDRESSES = 8 << 30
_COMMAND_MEMORY = 4 << 30

CodeSeconds = Annotated[float, Meta(ge=0.1, le=_CODE_SECONDS)]
CommandSeconds = Annotated[float, Meta(ge=1, le=_COMMAND_SECONDS)]


@tool(family="execution", title="Run JavaScript", visible=True, read_only=True, seconds=75, tier=3)
async def run_javascript(context: ToolContext, javascript: str, timeout_seconds: CodeSeconds = 5.0) -> Result:
    """Run JavaScript (ES2023) without files, network or modules. Shows console.log and the last expression's value.

    Args:
        javascript: the program.
        timeout_seconds: 0.1 to 60.
    """
    # What runs programs and judges them is loaded by who runs one, here and below: the list of tools does not wait for it.
    from .engines import run_javascript_engine
    from .outcome import answer

    words = context.words.executing
    limits = Limits(seconds=timeout_seconds, memory=_SCRIPT_MEMORY)
    source, sandbox = _source(context, javascript), context.use(Sandbox)
    outcome = await run_javascript_engine(source, sandbox=sandbox, limits=limits, words=words)
    raised = {1: "thrown", 3: "memory"}.get(outcome.exit_code, "thrown" if outcome.exit_code else None)
    return answer(outcome, words, limits=limits, most=_CODE_SECONDS, roots=(), cwd=None, raised=raised)


@tool(family="execution", title="Run Python", visible=True, seconds=75, tier=1)
async def run_python(context: ToolContext, python: str, timeout_seconds: CodeSeconds = 5.0) -> Result:
    """Run a Python script in the working directory, in a sandbox without network. Print what you want to see.

    Args:
        python: the script.
        timeout_seconds: 0.1 to 60.
    """
    from .engines import run_restricted_python
    from .outcome import answer, outcome_of

    words, sandbox = context.words.executing, context.use(Sandbox)
    cwd, roots = _places(context)
    source = _source(context, python)
    limits = Limits(seconds=timeout_seconds, memory=_PYTHON_MEMORY, address_space=_PYTHON_ADDRESSES)
    if (await sandbox.describe()).confined_by is None:
        outcome = await run_restricted_python(source, sandbox=sandbox, cwd=cwd, limits=limits, words=words)
    else:
        run = await sandbox.run(
            [sys.executable, "-I", "-B", "-X", "utf8", "-"],
            cwd=cwd, roots=roots, limits=limits, stdin=source, readable=interpreter(),
        )  # fmt: skip
        outcome = outcome_of(run, words)
    raised = _python_failure(outcome.exit_code, outcome.stderr)
    return answer(outcome, words, limits=limits, most=_CODE_SECONDS, roots=roots, cwd=cwd, raised=raised)


@tool(family="execution", title="Run a command", on=False, seconds=330, tier=2)
async def execute_command(
    context: ToolContext,
    command: str,
    timeout: CommandSeconds = 60.0,  # noqa: ASYNC109 - the name that callers know
) -> Result:
    """Run a shell command in the working directory, in a sandbox without network. Input is empty; the exit code is told.

    Args:
        command: at most two pipes and one semicolon; no substitution, sudo, or forced recursive removal.
        timeout: seconds, 1 to 300.
    """
    from ....safety.categories import CATEGORIES
    from ....safety.commands import judge
    from .outcome import answer, outcome_of

    words, sandbox = context.words.executing, context.use(Sandbox)
    listings = context.catalog.listings()
    enabled = {listing.family for listing in listings if listing.enabled}
    verdict = judge(command, allowed=[category for category in CATEGORIES if category in enabled])
    if not verdict:
        kind = verdict.reason.removeprefix("command_")
        if kind in {"git", "web", "browser", "database", "http"} and kind not in {listing.family for listing in listings}:
            # Nobody is sent to tools that are not there.
            verdict = replace(verdict, reason="command_no_tool")
        raise Refused.by(verdict, context.words)
    cwd, roots = _places(context)
    described = await sandbox.describe()
    if described.confined_by is None:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in described.reasons.items())
        raise Refused("unavailable", words.unconfined.format(reasons=reasons))
    limits = Limits(seconds=timeout, memory=_COMMAND_MEMORY)
    run = await sandbox.run([*_shell(), command], cwd=cwd, roots=roots, limits=limits, readable=interpreter())
    outcome = outcome_of(run, words)
    return answer(outcome, words, limits=limits, most=_COMMAND_SECONDS, option="timeout", roots=roots, cwd=cwd, raised=None)


def _shell() -> list[str]:
    """What models write for; without its start-up files, which are not theirs."""
    bash = Path("/bin/bash")
    return [str(bash), "--noprofile", "--norc", "-c"] if bash.exists() else ["/bin/sh", "-c"]


def _places(context: ToolContext) -> tuple[Path, list[Path]]:
    workspace = context.use(Workspace)
    return Path(workspace.cwd), [Path(root.real) for root in workspace.roots.all]


def _source(context: ToolContext, code: str) -> bytes:
    try:
        return code.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("invalid_input", context.words.executing.not_text) from None


def _python_failure(code: int, stderr: str) -> str | None:
    """What class of failure a script ended with, if it did not end by itself.

    An uncaught exception ends with status 1 and its name on the last line of the error stream; so does a script that writes a
    line like it and exits with 1, which then says that it failed.
    """
    if code >= 128:
        return "raised"
    lines = stderr.strip().splitlines()
    if code == 3 and lines and lines[-1].startswith("MemoryError"):
        return "memory"
    if code != 1 or not lines:
        return None
    if lines[-1].startswith("MemoryError"):
        return "memory"
    told = "Traceback (most recent call last):" in stderr or stderr.lstrip().startswith(('File "<stdin>"', 'File "main'))
    return "raised" if told else None


FAMILY = Family(name="execution", title="Running code and commands", tools=(run_javascript, run_python, execute_command))
