"""A walk ends where the system itself would end, whatever links there are, and never outside the roots."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.toolbox.access import folder
from transom.toolbox.access.workspace import Workspace
from transom.toolbox.tool import Refused

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs links")

NAMES = ("a", "b", "c")
PATHS = st.lists(st.sampled_from((*NAMES, "..", "..", ".")), min_size=1, max_size=6).map("/".join)
LINKS = st.dictionaries(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join),
    st.one_of(PATHS, PATHS.map("{BASE}/ws/".__add__), st.sampled_from(("{BASE}/ws", "{BASE}/outside/a", "/"))),
    max_size=6,
)


def build(base: Path, links: dict[str, str]) -> None:
    for top in ("ws", "outside"):
        for name in ("a", "a/b", "b"):
            (base / top / name).mkdir(parents=True, exist_ok=True)
        for name in ("c", "a/c", "a/b/c", "b/c"):
            (base / top / name).write_text(f"{top}/{name}")
    for link, target in links.items():
        path = base / "ws" / link
        if os.path.lexists(path) and not path.is_symlink():
            if path.is_dir():
                continue
            path.unlink()
        if path.parent.is_dir() and not os.path.lexists(path) and (base / "ws") in path.parent.resolve().parents:
            path.symlink_to(target.replace("{BASE}", str(base)))


@pytest.mark.parametrize("descriptors", [True, False])
@given(links=LINKS, path=PATHS)
@settings(max_examples=80, deadline=None)
def test_what_is_read_is_what_the_system_reads_there(
    tmp_path_factory: pytest.TempPathFactory, descriptors: bool, links: dict[str, str], path: str
) -> None:
    base = tmp_path_factory.mktemp("walk")
    build(base, links)
    root = base / "ws"
    with pytest.MonkeyPatch.context() as patch:
        # The other platforms' way: the same calls on joined paths.
        patch.setattr(folder, "DESCRIPTORS", descriptors)
        try:
            got: str | None = Workspace([root]).place(path).read().decode()
            error = ""
        except Refused as refused:
            got, error = None, refused.error
    try:
        expected = (root / path).read_text()
    except OSError:
        expected = None
    if got is not None:
        assert got == expected
        assert root in Path(os.path.realpath(root / path)).parents
        assert got.startswith("ws/")
    elif error in {"not_found", "not_a_file", "io_error"}:
        assert expected is None
    else:
        # Refused although the system ends inside: the way there leads outside.
        assert error == "outside_root"


@given(links=LINKS, path=PATHS)
@settings(max_examples=50, deadline=None)
def test_nothing_outside_is_ever_changed(tmp_path_factory: pytest.TempPathFactory, links: dict[str, str], path: str) -> None:
    base = tmp_path_factory.mktemp("walk")
    build(base, links)
    before = {item: item.read_text() for item in (base / "outside").rglob("*") if item.is_file()}
    workspace = Workspace([base / "ws"])
    place, other = workspace.place(path), workspace.place("fresh")
    for work in (
        place.create_parents,
        place.make_folder,
        lambda: place.replace(b"x"),
        lambda: place.move_to(other),
        lambda: place.remove_all(lambda: None),
    ):
        try:
            work()
        except Refused:
            continue
    assert {item: item.read_text() for item in (base / "outside").rglob("*") if item.is_file()} == before
    assert sorted(item.name for item in base.iterdir()) == ["outside", "ws"]
    assert len(list((base / "outside").rglob("*"))) == 7
