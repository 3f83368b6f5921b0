"""The clients that can be run through the gateway: where each would send its requests, and what makes it send them to us.

To add one, write its two functions and its line in ``CLIENTS``. What the variables and options mean is from the clients' own
documentation; all of it was tried with real clients (``tests/gateway``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ...errors import UsageError
from .client import Client, Launch, Surroundings, Through
from .configured import json_file, json_text, setting, toml_file, upward

__all__ = ["CLIENTS"]


# ── Claude Code ────────────────────────────────────────────────────────────────────────────────────────────────────────────

_CLAUDE = "ANTHROPIC_BASE_URL"


def _claude_settings(there: Surroundings) -> str:
    """The base URL in the user's settings files, the one that counts first; they win over the environment."""
    files = [
        *(folder / ".claude" / name for folder in upward(there.directory) for name in ("settings.local.json", "settings.json")),
        there.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json",
    ]
    return next(filter(None, (setting(json_file(path), "env", _CLAUDE) for path in files)), "")


def _claude_upstreams(there: Surroundings) -> Mapping[str, str]:
    for variable in ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"):
        if there.variable(variable) not in {"", "0", "false"}:
            raise UsageError(
                f"{variable} is set: that host's requests are signed, and cannot be changed", hint=f"unset {variable}"
            )
    return {"anthropic": _claude_settings(there) or there.variable(_CLAUDE) or "https://api.anthropic.com"}


def _claude(there: Surroundings, through: Through) -> Launch:
    base = through.at("anthropic")
    # With a base URL of its own it would send every tool's schema with every request.
    environment = {_CLAUDE: base, "ENABLE_TOOL_SEARCH": there.variable("ENABLE_TOOL_SEARCH") or "true"}
    if through.window is not None:
        environment["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = str(through.window)
    if not _claude_settings(there):
        return Launch(environment=environment)
    if there.option("--settings"):
        raise UsageError(
            "a settings file names a base URL, and --settings is taken", hint=f"leave out --settings, or {_CLAUDE} there"
        )
    return Launch(environment=environment, before=("--settings", json.dumps({"env": {_CLAUDE: base}})))


# ── Codex ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

_CHATGPT = "https://chatgpt.com/backend-api/codex"
_OSS = {"ollama": "http://localhost:11434/v1", "lmstudio": "http://localhost:1234/v1"}


def _codex_provider(there: Surroundings) -> tuple[str, Mapping[str, object]]:
    """Which provider it would use, and what its file says."""
    file = toml_file(there.folder("CODEX_HOME", ".codex") / "config.toml")
    profile = there.option("-p", "--profile") or setting(file, "profile")
    named = setting(file, "profiles", profile, "model_provider") if profile else ""
    for option, value in zip(there.arguments, there.arguments[1:], strict=False):
        if option in {"-c", "--config"} and value.startswith("model_provider="):
            named = value.partition("=")[2].strip('"')
    return named or setting(file, "model_provider") or "openai", file


def _is_chatgpt(there: Surroundings) -> bool:
    if there.variable("CODEX_API_KEY") or there.variable("OPENAI_API_KEY"):
        return False
    login = json_file(there.folder("CODEX_HOME", ".codex") / "auth.json")
    return isinstance(login.get("tokens"), Mapping) and not setting(login, "OPENAI_API_KEY")


def _codex_upstreams(there: Surroundings) -> Mapping[str, str]:
    if "--oss" in there.arguments:
        local = there.option("--local-provider") or "ollama"
        return {"openai": there.variable("CODEX_OSS_BASE_URL") or _OSS.get(local, _OSS["ollama"])}
    provider, file = _codex_provider(there)
    own = setting(file, "model_providers", provider, "base_url")
    if provider == "openai":
        own = setting(file, "openai_base_url") or there.variable("OPENAI_BASE_URL")
        return {"openai": own or (_CHATGPT if _is_chatgpt(there) else "https://api.openai.com/v1")}
    return {"openai": own or _OSS.get(provider, "https://api.openai.com/v1")}


def _codex(there: Surroundings, through: Through) -> Launch:
    # An upstream without a version in its path (a ChatGPT login's) is asked without one.
    base = through.at("openai") + ("" if through.upstreams.get("openai") == _CHATGPT else "/v1")
    provider, _ = _codex_provider(there)
    key = "openai_base_url" if provider == "openai" else f"model_providers.{provider}.base_url"
    options = ["-c", f"{key}={json.dumps(base)}"]
    if through.window is not None:
        options += ["-c", f"model_context_window={through.window}"]
        options += ["-c", f"model_auto_compact_token_limit={through.window * 9 // 10}"]
    environment = {"CODEX_OSS_BASE_URL": base} if "--oss" in there.arguments else {}
    return Launch(environment=environment, before=options)


# ── opencode ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

_OPENCODE = {
    "anthropic": ("https://api.anthropic.com", "/v1"),
    "openai": ("https://api.openai.com", "/v1"),
    "google": ("https://generativelanguage.googleapis.com", "/v1beta"),
}
_CONTENT = "OPENCODE_CONFIG_CONTENT"


def _opencode_providers(there: Surroundings) -> Mapping[str, Mapping[str, object]]:
    """Providers of the user's files, the file that counts most last."""
    configuration = there.folder("XDG_CONFIG_HOME", ".config") / "opencode"
    folders = [configuration, *reversed(list(upward(there.directory)))]
    files = [folder / name for folder in folders for name in ("opencode.json", "opencode.jsonc")]
    if named := there.variable("OPENCODE_CONFIG"):
        files.append(there.directory / named)
    found: object = {}
    for content in (*map(json_file, files), json_text(there.variable(_CONTENT))):
        providers = content.get("provider")
        if isinstance(providers, Mapping):
            found = _merged(found, providers)
    assert isinstance(found, Mapping)
    return {name: told for name, told in found.items() if isinstance(told, Mapping)}


def _opencode_upstreams(there: Surroundings) -> Mapping[str, str]:
    own = {name: setting(told, "options", "baseURL") for name, told in _opencode_providers(there).items()}
    return {name: url for name, (url, _) in _OPENCODE.items()} | {name: url for name, url in own.items() if url}


def _opencode(there: Surroundings, through: Through) -> Launch:
    users = _opencode_providers(there)
    providers: dict[str, object] = {}
    for name in through.upstreams:
        _, version = _OPENCODE.get(name, ("", "/v1"))
        told: dict[str, object] = {"options": {"baseURL": through.at(name) + version}}
        models = users.get(name, {}).get("models")
        if name == "transom":
            told |= {"npm": "@ai-sdk/openai-compatible", "name": "through transom"}
            models = {model: {"name": model} for model in through.models}
        if through.window is not None and isinstance(models, Mapping):
            models = {
                model: {**(about if isinstance(about, Mapping) else {}), "limit": _limit(about, through.window)}
                for model, about in models.items()
            }
        if isinstance(models, Mapping):
            told["models"] = dict(models)
        providers[name] = told
    content = dict(json_text(there.variable(_CONTENT)))
    own = content.get("provider")
    kept = own if isinstance(own, Mapping) else {}
    content["provider"] = {**kept, **{name: _merged(kept.get(name), told) for name, told in providers.items()}}
    notes = [f"use a model as transom/{through.models[0]}"] if "transom" in through.upstreams and through.models else []
    return Launch(environment={_CONTENT: json.dumps(content)}, notes=notes)


def _limit(about: object, window: int) -> dict[str, object]:
    told = about.get("limit") if isinstance(about, Mapping) else None
    return {"output": min(8192, window // 4), **(told if isinstance(told, Mapping) else {}), "context": window}


def _merged(under: object, over: object) -> object:
    if not isinstance(under, Mapping) or not isinstance(over, Mapping):
        return over
    return {**under, **{key: _merged(under.get(key), value) for key, value in over.items()}}


# ── Gemini CLI ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

_GEMINI = "GOOGLE_GEMINI_BASE_URL"


def _gemini_upstreams(there: Surroundings) -> Mapping[str, str]:
    return {"google": there.variable(_GEMINI) or "https://generativelanguage.googleapis.com"}


def _gemini(there: Surroundings, through: Through) -> Launch:
    notes = (
        []
        if there.variable("GEMINI_API_KEY")
        else ["only requests with an API key pass through: a Google login has its own host"]
    )
    return Launch(environment={_GEMINI: through.at("google")}, notes=notes)


# ── aider ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

_AIDER = {
    "openai": (("OPENAI_API_BASE", "AIDER_OPENAI_API_BASE"), "https://api.openai.com/v1", "/v1"),
    "anthropic": (("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"), "https://api.anthropic.com", ""),
    "ollama": (("OLLAMA_API_BASE",), "", ""),
    "lmstudio": (("LM_STUDIO_API_BASE",), "", "/v1"),
}


def _aider_upstreams(there: Surroundings) -> Mapping[str, str]:
    found = {}
    for name, (variables, usual, _) in _AIDER.items():
        given = there.option("--openai-api-base") if name == "openai" else ""
        if url := given or next(filter(None, map(there.variable, variables)), usual):
            found[name] = url
    return found


def _aider(there: Surroundings, through: Through) -> Launch:
    environment: dict[str, str] = {}
    for name in through.upstreams:
        variables, _, version = _AIDER[name]
        environment |= dict.fromkeys(variables, through.at(name) + version)
    after: Sequence[str] = ()
    if there.option("--openai-api-base"):
        after = ("--openai-api-base", environment["OPENAI_API_BASE"])
    return Launch(environment=environment, after=after)


CLIENTS: tuple[Client, ...] = (
    Client(
        name="claude",
        program="claude",
        get="npm install -g @anthropic-ai/claude-code",
        upstreams=_claude_upstreams,
        launch=_claude,
    ),
    Client(name="codex", program="codex", get="npm install -g @openai/codex", upstreams=_codex_upstreams, launch=_codex),
    Client(
        name="opencode",
        program="opencode",
        get="npm install -g opencode-ai",
        upstreams=_opencode_upstreams,
        launch=_opencode,
        wants_models=True,
    ),
    Client(
        name="gemini", program="gemini", get="npm install -g @google/gemini-cli", upstreams=_gemini_upstreams, launch=_gemini
    ),
    Client(name="aider", program="aider", get="pip install aider-chat", upstreams=_aider_upstreams, launch=_aider),
)
"""In the order that help shows them."""
