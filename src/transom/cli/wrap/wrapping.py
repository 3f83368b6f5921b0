"""``transom wrap``: a client run through the gateway, with nothing left behind.

Knows how a run is put together; what each client needs stands in ``clients``. Where the system can, the client takes this
process's place: signals, the terminal and the exit status are its own then, and the gateway ends with it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...errors import UsageError
from ...settings.inherited import inherited_environment
from .. import output
from ..addresses import check_address, split_name
from ..options import JSON, StorePath, Upstreams, Window
from .client import Client, Launch, Surroundings, Through
from .clients import CLIENTS
from .gateway import check_gateway, served_models, started
from .runs import Run, runs_folder

__all__ = ["wrap_"]

Running = Annotated[str | None, Parameter(name="--gateway", help="Use a gateway that runs already, at this address.")]
Print = Annotated[
    bool, Parameter(name="--print", negative="", show_default=False, help="Show what would be set, and run nothing.")
]
_UNKNOWN = "http://127.0.0.1:PORT"
_OWN = "transom"
"""What a client's provider is called that the user's upstream is offered as."""


def wrap_(
    client: str,
    /,
    *arguments: str,
    upstream: Upstreams = (),
    window: Window = None,
    store: StorePath = None,
    gateway: Running = None,
    print_: Print = False,
    json: JSON = False,
) -> int:
    """Run a client through the gateway: claude, codex, opencode, gemini or aider.

    Only this run is changed, by variables and arguments; no file of the client's is. Requests go where the client would send
    them anyway, unless --upstream says otherwise. What stands after -- is the client's.

    Parameters
    ----------
    client:
        Which.
    arguments:
        What it is given, after --.
    """
    chosen = next((each for each in CLIENTS if each.name == client), None)
    if chosen is None:
        raise UsageError(f"{client!r} is no client that can be wrapped", hint=", ".join(each.name for each in CLIENTS))
    if gateway is not None and upstream:
        raise UsageError("--gateway has its upstreams already", hint="leave out --upstream, or --gateway")
    if gateway is not None:
        check_address(gateway, "--gateway")
    environment = inherited_environment()
    there = Surroundings(environment=environment, home=Path.home(), directory=Path.cwd(), arguments=arguments)
    upstreams = _upstreams(chosen, there, upstream)
    program = shutil.which(chosen.program, path=environment.get("PATH"))
    if program is None and not print_:
        raise UsageError(f"{chosen.program} is not installed", hint=chosen.get)
    if print_:
        base = _UNKNOWN if gateway is None else gateway.rstrip("/")
        launch = chosen.launch(there, _through(base, upstreams, window, chosen, is_shared=gateway is not None, asks=False))
        _show(chosen, launch, arguments, environment, json=json)
        return 0
    assert program is not None
    if gateway is not None:
        base = gateway.rstrip("/")
        check_gateway(base, environment)
        launch = chosen.launch(there, _through(base, upstreams, window, chosen, is_shared=True))
        return _run(program, launch, arguments, environment, None)
    run = Run.begin(runs_folder())
    try:
        base, kept = started(run, upstreams, window=window, store=store, environment=environment)
        launch = chosen.launch(there, _through(base, upstreams, window, chosen))
    except BaseException:
        run.end()
        raise
    # The client may take this process's place, so nothing can be said behind it.
    output.note(f"what leaves the window is kept in {kept}: transom store scopes --store {shlex.quote(kept)}")
    return _run(program, launch, arguments, environment, run)


def _upstreams(client: Client, there: Surroundings, given: tuple[str, ...]) -> Mapping[str, str]:
    """Addresses by name: what the user named, where the client would go otherwise."""
    found = dict(client.upstreams(there))
    named: dict[str, str] = {}
    for text in given:
        name, url = split_name(text)
        if name and name not in found:
            raise UsageError(f"{client.name} has no upstream {name!r}", hint=f"its upstreams are {', '.join(found)}")
        check_address(url, "--upstream", name)
        named[name or (_OWN if client.wants_models else next(iter(found)))] = url
    # One that was named without a name is where all goes: the client's own hosts are asked nothing.
    return named if named and len(named) == len(given) and not any("=" in text for text in given) else found | named


def _through(
    base: str,
    upstreams: Mapping[str, str],
    window: int | None,
    client: Client,
    *,
    is_shared: bool = False,
    asks: bool = True,
) -> Through:
    """How the client sees the gateway. One that runs already has upstreams of its own, and is asked without a name."""
    alone = is_shared or len(upstreams) == 1
    models = served_models(base) if asks and client.wants_models and _OWN in upstreams else ()
    return Through(
        at=lambda name: base if alone else f"{base}/{name}",
        upstreams=upstreams,
        window=window,
        models=models,
    )


def _environment(launch: Launch, inherited: Mapping[str, str]) -> dict[str, str]:
    """What is added or replaced. Who uses a proxy must not look for this machine behind it."""
    added = dict(launch.environment)
    if any(
        inherited.get(name) for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
    ):
        excepted = inherited.get("NO_PROXY") or inherited.get("no_proxy") or ""
        if excepted != "*":
            added |= dict.fromkeys(("NO_PROXY", "no_proxy"), ",".join(filter(None, (excepted, "127.0.0.1", "localhost"))))
    return added


def _show(client: Client, launch: Launch, arguments: tuple[str, ...], environment: Mapping[str, str], *, json: bool) -> None:
    added = _environment(launch, environment)
    command = [client.program, *launch.before, *arguments, *launch.after]
    if json:
        output.json_line({"environment": added, "command": command, "notes": list(launch.notes)})
        return
    for name, value in added.items():
        output.line(f"{name}={shlex.quote(value)}")
    output.line(shlex.join(command))
    for note in launch.notes:
        output.note(note)


def _run(program: str, launch: Launch, arguments: tuple[str, ...], environment: Mapping[str, str], run: Run | None) -> int:
    command = [program, *launch.before, *arguments, *launch.after]
    variables = {**environment, **_environment(launch, environment)}
    for note in launch.notes:
        output.note(note)
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        # Python ignores a broken pipe, and who is started so goes on ignoring it.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execve(program, command, variables)  # noqa: S606  # the client is what the user asked for
    try:  # pragma: no cover - Windows cannot replace a process
        return subprocess.run(command, env=variables, check=False).returncode  # noqa: S603
    finally:
        if run is not None:
            run.end()
