"""Which settings there are: names, types, defaults, help.

Knows no source of a value and not what a setting does. To add one, add a field to ``Settings`` with its ``About``; the command
line's ``config``, the reference page and the reading of files and variables follow from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_type_hints

import msgspec
from msgspec import Meta

__all__ = ["LARGEST_WINDOW", "PREFIX", "SMALLEST_WINDOW", "About", "Setting", "Settings", "catalogue"]

PREFIX = "TRANSOM_"

SMALLEST_WINDOW, LARGEST_WINDOW = 1_024, 100_000_000
"""Tokens between which a window is one. No model takes a hundredth of the largest; more is a slip."""


@dataclass(frozen=True, slots=True)
class About:
    """Help text of a setting, what is valid in words, and what is special about it.

    Attributes:
        help, valid: for people.
        is_path: it names a place, which a file may give relative to itself.
        is_quoted: a value that does not fit is repeated in the error. False where people may write a secret by mistake.
    """

    help: str
    valid: str
    is_path: bool = False
    is_quoted: bool = True


Tokens = Annotated[int, Meta(ge=SMALLEST_WINDOW, le=LARGEST_WINDOW)]
Count = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(gt=0, lt=1)]
Place = Annotated[str, Meta(pattern=r"^[^\x00]*[^\x00\s][^\x00]*\Z")]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z", max_length=128)]
Text = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*\Z", max_length=512)]
URL = Annotated[str, Meta(pattern=r"^https?://[^\s/@][^\s@]*\Z")]
Variable = Annotated[str, Meta(pattern=r"^[A-Z_][A-Z0-9_]*\Z", max_length=128)]
Seconds = Annotated[float, Meta(gt=0, le=100)]
Port = Annotated[int, Meta(ge=0, le=65535)]
Host = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.:-]+\Z", max_length=255)]
_UPSTREAM = r"([a-z][a-z0-9_-]*=)?https?://[^\s/@,][^\s@,]*"
Upstreams = Annotated[str, Meta(pattern=rf"^{_UPSTREAM}(\s*,\s*{_UPSTREAM})*\Z")]
_KEY = r"([a-z][a-z0-9_-]*=)?[A-Z_][A-Z0-9_]*"
Variables = Annotated[str, Meta(pattern=rf"^{_KEY}(\s*,\s*{_KEY})*\Z")]
_PATTERN = r"[a-z][a-z0-9_-]*=[^\s,=]+"
Patterns = Annotated[str, Meta(pattern=rf"^{_PATTERN}(\s*,\s*{_PATTERN})*\Z")]
_WINDOW = r"[a-z][a-z0-9_-]*=[0-9_]{4,12}"
Windows = Annotated[str, Meta(pattern=rf"^{_WINDOW}(\s*,\s*{_WINDOW})*\Z")]
_PORT = r"[a-z][a-z0-9_-]*=[0-9]{1,5}"
Ports = Annotated[str, Meta(pattern=rf"^{_PORT}(\s*,\s*{_PORT})*\Z")]
_EDIT = r"[a-z][a-z0-9_-]*=(usage|billing|ttl|none)"
Edits = Annotated[str, Meta(pattern=rf"^{_EDIT}(\s*,\s*{_EDIT})*\Z")]
Names = Annotated[str, Meta(pattern=r"^[a-z][a-z_-]*( *, *[a-z][a-z_-]*)*\Z")]
_TOKENS = "a whole number of tokens, 1024 or more, 100000000 at most"
_SHARE = "a number above 0 and below 1"


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every setting with its type and default; ``catalogue`` gives the help text of each."""

    window: Annotated[
        Tokens | None,
        About("The window that a payload must fit, in tokens.", _TOKENS),
    ] = None
    target: Annotated[
        Literal["openai", "openai-responses", "anthropic", "gemini", "ollama"] | None,
        About(
            "The format that payloads are written in. Unset: the format of what was read; openai for an agent's session file.",
            "openai, openai-responses, anthropic, gemini or ollama",
        ),
    ] = None
    strategy: Annotated[
        Names,
        About("What is done when history no longer fits: strategies in the order they are tried.", "names separated by commas"),
    ] = "clear,digest,reset"
    trigger: Annotated[
        Share,
        About("A window closes once history takes more than this share of the room that is left for it.", _SHARE),
    ] = 0.7
    low_water: Annotated[
        Share,
        About("How deep a closing goes: history shrinks to this share of the trigger.", _SHARE),
    ] = 0.5
    prune: Annotated[
        bool,
        About("Whether a large tool result is shortened when first seen; the whole of it is stored.", "true or false"),
    ] = True
    prune_bytes: Annotated[
        Count,
        About(
            "How large a tool result may be before it is shortened, in bytes of UTF-8.", "a whole number of bytes, 1 or more"
        ),
    ] = 16_384
    tokenizer: Annotated[
        Literal["heuristic", "o200k", "cl100k", "chars4"],
        About(
            "How tokens are counted: estimated from the text, by a real encoding, or four characters a token.",
            "heuristic, o200k, cl100k or chars4",
        ),
    ] = "heuristic"
    store: Annotated[
        Place | None,
        About("What keeps what leaves the window. In a settings file it is relative to that file.", "a path", is_path=True),
    ] = None
    summarizer_url: Annotated[
        URL | None,
        About(
            "Where the model that writes summaries is served: any OpenAI-compatible API, with or without /v1.",
            "an address such as http://127.0.0.1:1234/v1, without a key in it",
            is_quoted=False,
        ),
    ] = None
    summarizer_model: Annotated[
        Text | None,
        About("The name of that model at its server.", "a name as the server spells it"),
    ] = None
    summarizer_window: Annotated[
        Tokens | None,
        About("The window of that model. Unset: what its server says, else the window of the session.", _TOKENS),
    ] = None
    summarizer_key: Annotated[
        Variable | None,
        About(
            "The name of the environment variable that holds the key for that server; never the key.",
            "the name of a variable in capitals, such as OPENAI_API_KEY",
            is_quoted=False,
        ),
    ] = None
    summarizer_timeout: Annotated[
        Seconds,
        About("How long that model may take for one closing of a window, in seconds.", "a number above 0, up to 100"),
    ] = 60.0
    upstream: Annotated[
        Upstreams | None,
        About(
            "Who answers what `transom serve` is asked: a server's address, or several with names, the first by default.",
            "addresses such as http://localhost:1234 or lmstudio=http://localhost:1234, separated by commas and without a key",
            is_quoted=False,
        ),
    ] = None
    upstream_key: Annotated[
        Variables | None,
        About(
            "The environment variables that hold upstreams' keys; never the keys. Unset: a client's own key goes on.",
            "names of variables in capitals, such as OPENAI_API_KEY or lmstudio=LMSTUDIO_KEY, separated by commas",
            is_quoted=False,
        ),
    ] = None
    upstream_models: Annotated[
        Patterns | None,
        About(
            "Which models belong to which upstream, where a request's path does not begin with the upstream's name.",
            "patterns such as anthropic=claude-*, separated by commas",
        ),
    ] = None
    upstream_window: Annotated[
        Windows | None,
        About(
            "The windows of upstreams' models in tokens, where they differ; else the setting `window`, else what is learned.",
            "numbers such as lmstudio=32000, separated by commas",
        ),
    ] = None
    upstream_port: Annotated[
        Ports | None,
        About(
            "The ports that belong to upstreams: what comes to one is for that upstream, whatever path or model it names.",
            "ports such as lmstudio=8643, separated by commas; 0 takes a free one",
        ),
    ] = None
    upstream_edits: Annotated[
        Edits | None,
        About(
            "What is edited for an upstream's sake, in place of what its kind needs: `usage` is asked for in streams of "
            "OpenAI's chat, the `billing` line of Claude Code and the `ttl` of `cache_control` are taken out.",
            "words such as lmstudio=usage, lmstudio=ttl (usage, billing, ttl; or none), separated by commas",
        ),
    ] = None
    serve_host: Annotated[
        Host,
        About("Where `transom serve` listens. Beyond this machine it needs a token.", "a host name or an address"),
    ] = "127.0.0.1"
    serve_port: Annotated[
        Port,
        About("The port that `transom serve` listens on; 0 takes a free one.", "a whole number from 0 to 65535"),
    ] = 8642
    serve_token: Annotated[
        Variable | None,
        About(
            "The name of the environment variable that holds the token `transom serve` wants to be sent; never the token.",
            "the name of a variable in capitals",
            is_quoted=False,
        ),
    ] = None
    scope: Annotated[
        Name,
        About("Whose records are shared; nothing crosses from one scope to another.", "a name of letters, digits, ., _ and -"),
    ] = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known of one setting.

    Attributes:
        key: its name in files.
        default: the value when nothing sets it; ``None`` means unset.
        help: what it does, in a sentence.
        valid: what its value may be, in words.
        type: its type, constraints included, as msgspec reads it.
        is_path: whether it names a place that a file may give relative to itself.
        is_quoted: whether a value that does not fit is repeated in the error.
    """

    key: str
    default: object
    help: str
    valid: str
    type: object
    is_path: bool = False
    is_quoted: bool = True

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return PREFIX + self.key.upper()

    @property
    def flag(self) -> str:
        """The command-line option that sets it, in commands that have it."""
        return "--" + self.key.replace("_", "-")


def catalogue() -> dict[str, Setting]:
    """Every setting by key, in the order of ``Settings``."""
    hints = get_type_hints(Settings, include_extras=True)
    found = {}
    for field in msgspec.structs.fields(Settings):
        hint = hints[field.name]
        about = next(item for item in hint.__metadata__ if isinstance(item, About))
        found[field.name] = Setting(field.name, field.default, about.help, about.valid, hint, about.is_path, about.is_quoted)
    return found
