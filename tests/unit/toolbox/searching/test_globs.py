"""Globs mean what they mean to ripgrep, and none takes long."""

from __future__ import annotations

import time

import pytest

from transom.toolbox.searching.globs import BadGlob, Globs


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("*.py", ["a.py", "x/y/b.py", ".py"], ["a.pyc", "a.py/x"]),
        ("/a.*", ["a.py"], ["x/a.py"]),
        ("./a.py", ["x/a.py", "a.py"], []),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "x/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py"]),
        ("src/**", ["src/a", "src/x/y"], ["src", "srcs/a"]),
        ("**/test_*", ["test_a", "x/test_b"], ["x/a_test_"]),
        ("a?c", ["abc", "x/aüc"], ["a/c", "abbc"]),
        ("[a-c]x", ["ax", "cx"], ["dx"]),
        ("[!a]x", ["bx"], ["ax", "/x"]),
        ("*.{ts,{j,t}sx}", ["a.ts", "a.jsx", "a.tsx"], ["a.js"]),
        ("*a*b*c", ["abc", "xaybzc", "aabbcc"], ["acb", "ab/c"]),
        (r"\*", ["*"], ["x"]),
    ],
)
def test_a_pattern_matches(pattern: str, inside: list[str], outside: list[str]) -> None:
    globs = Globs([pattern])
    assert [path for path in inside if not globs.accept(path)] == []
    assert [path for path in outside if globs.accept(path)] == []


@pytest.mark.parametrize("pattern", ["", "{a", "a[", "{a,b}" * 10, "x" * 501, "**/" * 5, "\0", "\udc80"])
def test_what_is_no_pattern_is_said_to_be_none(pattern: str) -> None:
    with pytest.raises(BadGlob):
        Globs([pattern])


def test_no_name_takes_long() -> None:
    globs = Globs(["*a" * 100 + "b", "**/*a*/**/*a*/**/*a*b", "*{a,*a}{a,*a}{a,*a}{a,*a}b"])
    begun = time.process_time()
    for _ in range(10):
        assert not globs.accept("a" * 250)
        assert not globs.accept("/".join(["a" * 20] * 20))
    assert time.process_time() - begun < 1
