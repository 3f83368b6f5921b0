"""What the names of files say of a project: languages, builds, ways in, tests."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["BUILDS", "ENTRIES", "is_test", "language_of"]

_LANGUAGES: Mapping[str, str] = {
    "Assembly": "asm s", "C": "c h", "C#": "cs", "C++": "cc cpp cxx hh hpp hxx", "Clojure": "clj cljs cljc",
    "CSS": "css less sass scss", "Dart": "dart", "Elixir": "ex exs", "Erlang": "erl hrl", "F#": "fs fsx",
    "Fortran": "f90 f95 f03", "Go": "go", "Groovy": "groovy", "Haskell": "hs", "HTML": "html htm", "Java": "java",
    "JavaScript": "js mjs cjs jsx", "Julia": "jl", "Kotlin": "kt kts", "Lua": "lua", "Nim": "nim",
    "Objective-C": "m mm", "OCaml": "ml mli", "Perl": "pl pm", "PHP": "php", "PowerShell": "ps1 psm1",
    "Python": "py pyi pyx", "R": "r", "Ruby": "rb", "Rust": "rs", "Scala": "scala", "Shell": "sh bash zsh fish",
    "SQL": "sql", "Svelte": "svelte", "Swift": "swift", "Terraform": "tf", "TypeScript": "ts mts cts tsx", "Vue": "vue",
    "Zig": "zig",
}  # fmt: skip
_BY_SUFFIX = {suffix: name for name, suffixes in _LANGUAGES.items() for suffix in suffixes.split()}

BUILDS = re.compile(
    r"package\.json|pnpm-workspace\.yaml|tsconfig[\w.-]*\.json|deno\.jsonc?|pyproject\.toml|setup\.(?:py|cfg)|"
    r"requirements[\w.-]*\.txt|"
    r"Pipfile|tox\.ini|noxfile\.py|Cargo\.toml|go\.(?:mod|work)|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|build\.sbt|Makefile|"
    r"GNUmakefile|justfile|CMakeLists\.txt|meson\.build|BUILD(?:\.bazel)?|WORKSPACE|Gemfile|Rakefile|composer\.json|mix\.exs|rebar\.config|"
    r"Package\.swift|pubspec\.yaml|stack\.yaml|[\w.-]+\.(?:cabal|csproj|fsproj|sln|gemspec)|(?:Docker|Container)file|"
    r"(?:docker-)?compose\.ya?ml|flake\.nix|build\.zig"
)
"""Names that say how a project is built, or what it needs."""
ENTRIES = re.compile(
    r"(?:main|app|cli|server|index|manage|wsgi|asgi|__main__|program|Main|Program|App)"
    r"\.(?:py|js|mjs|ts|tsx|jsx|go|rs|c|cc|cpp|cs|java|kt|rb|php|swift|dart|ex|jl|lua|html)"
)
"""Names that programs begin with."""
_TEST_NAME = re.compile(r"(?:test_.+|.+_test|.+[.-](?:test|spec)|.+_spec|.+Tests?)\.\w+|conftest\.py")
_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "e2e"})


def language_of(name: str) -> str | None:
    """The programming language of a file, by its name."""
    stem, dot, suffix = name.rpartition(".")
    return _BY_SUFFIX.get(suffix.lower()) if dot and stem else None


def is_test(segments: tuple[str, ...]) -> bool:
    """Whether a file is a test, by its path."""
    return _TEST_NAME.fullmatch(segments[-1]) is not None or not _TEST_FOLDERS.isdisjoint(segments[:-1])
