"""Memory of earlier systems is brought along, once, and its source stays as it was."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from transom.cli.app import run
from transom.engine.memory.origin import Origin
from transom.engine.memory.switching import MemoryScope, open_memory
from transom.errors import InputError
from transom.importers import Report, import_memory
from transom.runtime import open_store
from transom.store.store import Store

from .earlier import (
    MOMENT,
    SPAN,
    entry,
    fact,
    library,
    library_root,
    packed,
    span,
    state,
    summary,
    toolbox,
    write_json,
    write_memory,
    write_offloaded,
    write_payload,
    write_registry,
    write_store,
)

pytestmark = pytest.mark.feature("S15")

NOW = MOMENT / 1000 + 1_000_000


@dataclass(frozen=True)
class Done:
    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


Transom = Callable[..., Done]


@pytest.fixture
def transom(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Transom:
    """``transom("import", path)`` in an empty folder, in this process."""
    (tmp_path / "here" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("TRANSOM_STORE", str(tmp_path / "store.db"))

    def call(*arguments: object) -> Done:
        status = run([*map(str, arguments)])
        return Done(status, *capfd.readouterr())

    return call


@pytest.fixture(params=["store.db", "files/"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"{tmp_path}/{request.param}")
    yield opened
    asyncio.run(opened.close())


def bring(path: Path, store: Store, **more: Any) -> Report:
    return asyncio.run(import_memory(path, store, clock=lambda: NOW, **more))


def reasons(report: Report) -> dict[str, str]:
    return {left.origin.id or left.origin.file: left.reason for left in report.left}


def remarks(report: Report) -> dict[str, tuple[str, ...]]:
    return {each.origin.id: each.remarks for each in report.taken if each.remarks}


async def memory(store: Store, project: str = "") -> MemoryScope:
    return await open_memory(store, project, clock=lambda: NOW)


def everything(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file below a folder: its bytes, when it was written, and its mode."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        data = path.read_bytes() if path.is_file() and os.access(path, os.R_OK) else b""
        found[str(path.relative_to(folder))] = (data, status.st_mtime_ns, status.st_mode)
    return found


# ── AI Toolbox ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_both_families_of_the_toolbox_are_taken_from_their_one_file(store: Store, tmp_path: Path) -> None:
    report = bring(toolbox(tmp_path / "work"), store)
    assert report.faults == []
    assert report.counts == {"project": (2, 0), "fact": (2, 0), "entry": (2, 0), "session": (4, 0), "text": (1, 0)}

    async def look() -> None:
        opened = await memory(store)
        facts = {found.key: found for found in await opened.memory.facts.list()}
        assert facts[f"memory_{MOMENT + 1}"].value == "The harbour master is called Ada."
        assert facts["memory_17"].value == "The pilot boat is blue."
        assert facts["memory_17"].created == MOMENT / 1000
        entries = {found.id: found for found in await opened.memory.entries.list()}
        assert entries["ctx_1_aa"].content == "The old quay is closed since the flood."
        assert entries["ctx_1_aa"].created == MOMENT / 1000
        assert (entries["ctx_1_aa"].type, entries["ctx_1_aa"].tags) == ("decision", ("port",))
        assert (entries["ctx_2_bb"].type, entries["ctx_2_bb"].tags) == ("summary", ("port", "milestone"))

    asyncio.run(look())
    assert remarks(report) == {"ctx_2_bb": ("its type 'milestone' is kept as a tag",)}


def test_what_is_not_memory_is_named_with_the_reason(store: Store, tmp_path: Path) -> None:
    report = bring(toolbox(tmp_path / "work"), store)
    assert reasons(report) == {
        "tool_usage": "state of the tool itself, nothing that was remembered",
        str(MOMENT + 12): "the summary of that session, which is taken, says it too",
    }


def test_where_something_came_from_is_kept_beside_it(store: Store, tmp_path: Path) -> None:
    bring(toolbox(tmp_path / "work"), store)

    async def look() -> None:
        opened = await memory(store)
        file = ".session_context/.ai_toolbox_memory.msgpack"
        (payload,) = (await store.read_all("vfs")).values()
        assert payload.meta["origin"]["importer"] == "ai-toolbox"  # type: ignore[index]
        told = await opened.memory.facts.get("memory_17")
        assert told is not None
        assert told.origin == Origin("ai-toolbox", file, "memory_17")
        revised = await opened.memory.facts.revise("memory_17", "The pilot boat is green.")
        assert revised.origin == told.origin
        filed = await opened.memory.entries.get("ctx_1_aa")
        assert filed is not None
        assert filed.origin == Origin("ai-toolbox", file, "ctx_1_aa")
        session = await opened.sessions.get("session_summary_16")
        assert session.origin == Origin("ai-toolbox", file, "session_summary_16_data")

    asyncio.run(look())


def test_summaries_are_read_in_each_form_they_ever_had(store: Store, tmp_path: Path) -> None:
    write_store(
        tmp_path / "work",
        [
            state("session_summary_latest", summary("An object")),
            state("session_summary_1_data", packed(summary("Packed"))),
            state("session_summary_2", json.dumps(summary("JSON as text"))),
            state("session_summary_3", "only words"),
            entry("session_summary_latest", json.dumps(summary("As an entry", timestamp=MOMENT + 1)), type="summary"),
            state("session_summary_4_data", packed(summary("Cut off"))[:-40]),
            state("session_summary_5_data", packed(summary("Bent")).replace("H4sI", "H4sJ")),
            state("session_summary_6", ""),
        ],
    )
    report = bring(tmp_path / "work", store)

    async def look() -> None:
        sessions = (await memory(store)).sessions
        kept = {info.title: info for info in await sessions.list(limit=None)}
        assert {"An object", "Packed", "JSON as text", "only words", "As an entry"} <= set(kept)
        whole = await sessions.get(kept["Packed"].id)
        assert whole.summary == "Packed\n\n- the crane moves\n\nsee crane.md"
        assert whole.decisions == ("steel, not wood",)
        assert whole.next_steps == ("paint the crane", "[x] oil the crane")
        assert whole.open_steps == ("paint the crane",)
        assert (whole.created, whole.saved) == (MOMENT / 1000, MOMENT / 1000)

    asyncio.run(look())
    assert reasons(report)["session_summary_6"] == "a summary that says nothing"
    assert reasons(report)["session_summary_4_data"].startswith("a compressed summary that cannot be read")
    assert [left.origin.id for left in report.faults] == ["session_summary_4_data"]


def test_older_places_of_the_files_are_known(store: Store, tmp_path: Path) -> None:
    write_store(tmp_path / "work", [entry("ctx_old", "From the first version.")], ".ai_toolbox_context.msgpack")
    write_store(tmp_path / "work", [fact(1, "From the second.")], ".ai_toolbox_memory.msgpack")
    report = bring(tmp_path / "work", store)
    assert report.counts == {"fact": (1, 0), "entry": (1, 0)}


@pytest.mark.parametrize("place", ["work", "work/.session_context", "work/.session_context/.ai_toolbox_memory.msgpack"])
def test_a_folder_above_the_folder_itself_and_one_file_are_all_understood(store: Store, tmp_path: Path, place: str) -> None:
    toolbox(tmp_path / "work")
    report = bring(tmp_path / place, store)
    assert {"fact": (2, 0), "entry": (2, 0)}.items() <= report.counts.items()
    again = bring(tmp_path / "work", store)
    assert {"fact": (0, 2), "entry": (0, 2)}.items() <= again.counts.items()


def test_projects_are_registered_and_their_entries_filed_for_them(store: Store, tmp_path: Path) -> None:
    work = tmp_path / "work"
    write_registry(work, ("harbour", "/srv/harbour"), ("harbour", "/home/ada/harbour"))
    inside = "/srv/harbour/.session_context/.ai_toolbox_memory.msgpack"
    elsewhere = "D:\\other\\.session_context\\.ai_toolbox_memory.msgpack"
    write_store(
        work,
        [
            entry("ctx_1", "For the harbour.", scope="project", project_path=inside),
            entry("ctx_2", "For a stranger.", scope="project", project_path=elsewhere),
            entry("ctx_3", "For all.", scope="global", project_path=inside),
        ],
    )
    report = bring(work, store)
    assert remarks(report) == {
        "/home/ada/harbour": ("another project has its name; it is called 'harbour (ada)'",),
        "ctx_2": ("it was of the project at D:\\other, which was not registered and now is",),
    }

    async def look() -> None:
        seen = {found.id: found.scope for found in await (await memory(store, "harbour")).memory.entries.list()}
        assert seen == {"ctx_1": "project", "ctx_3": "global"}
        strange = {found.id for found in await (await memory(store, "other")).memory.entries.list()}
        assert strange == {"ctx_2", "ctx_3"}
        assert "ctx_1" not in {found.id for found in await (await memory(store)).memory.entries.list()}

    asyncio.run(look())
    assert bring(work, store).counts == {"project": (0, 2), "entry": (0, 3)}
    assert report.counts["project"] == (2, 0)


def test_all_of_it_can_be_filed_for_one_project(store: Store, tmp_path: Path) -> None:
    report = bring(toolbox(tmp_path / "work"), store, project="harbour")
    assert report.counts["fact"] == (2, 0)

    async def look() -> None:
        opened = await memory(store, "harbour")
        assert {found.project for found in await opened.memory.facts.list()} == {"harbour"}
        assert {found.owner for found in await opened.memory.entries.list()} == {"harbour"}
        assert len(await opened.sessions.list()) == 4
        assert await (await memory(store)).memory.facts.list() == []

    asyncio.run(look())


def test_a_session_entry_whose_day_is_over_is_left(store: Store, tmp_path: Path) -> None:
    fresh = int(NOW * 1000) - 3_600_000
    write_store(
        tmp_path / "work",
        [
            entry("ctx_over", "Yesterday's.", scope="session", ttl_ms=86_400_000),
            entry("ctx_on", "Today's.", scope="session", ttl_ms=86_400_000, timestamp=fresh),
        ],
    )
    report = bring(tmp_path / "work", store)
    assert reasons(report) == {"ctx_over": "its session is over: it was to last until 2025-09-24"}
    assert report.counts == {"entry": (1, 0)}


def test_two_states_of_one_entry_are_both_kept(store: Store, tmp_path: Path) -> None:
    write_store(tmp_path / "work", [entry("ctx_1", "Now.")])
    write_store(tmp_path / "work", [entry("ctx_1", "Then.")], ".ai_toolbox_memory.msgpack")
    assert bring(tmp_path / "work", store).counts == {"entry": (2, 0)}
    assert bring(tmp_path / "work", store).counts == {"entry": (0, 2)}


def test_two_summaries_under_one_name_are_both_kept(store: Store, tmp_path: Path) -> None:
    write_store(tmp_path / "work", [state("session_summary_9", summary("Now"))])
    write_store(tmp_path / "work", [state("session_summary_9", summary("Then"))], ".ai_toolbox_memory.msgpack")
    assert bring(tmp_path / "work", store).counts == {"session": (2, 0)}
    assert bring(tmp_path / "work", store).counts == {"session": (0, 2)}


def test_a_fact_that_says_something_else_here_stays(store: Store, tmp_path: Path) -> None:
    work = write_store(tmp_path / "work", [state("memory_1", "theirs")])

    async def ours() -> None:
        await (await memory(store)).memory.facts.set("memory_1", "ours")

    asyncio.run(ours())
    report = bring(work, store)
    assert reasons(report) == {"memory_1": "a fact 'memory_1' is here already, and says something else"}
    assert report.faults == []


# ── the TypeScript context library ─────────────────────────────────────────────────────────────────────────────────────


def test_memory_of_the_library_is_taken_under_its_keys(store: Store, tmp_path: Path) -> None:
    report = bring(library(tmp_path / "app"), store)

    async def look() -> None:
        facts = {found.key: found for found in await (await memory(store)).memory.facts.list()}
        quotes = facts["style/quotes"]
        assert (quotes.value, quotes.description, quotes.importance) == ("double", "in Python", 0.8)
        assert (quotes.created, quotes.updated, quotes.updates) == (MOMENT / 1000, MOMENT / 1000 + 5, 2)
        assert facts["größe der Schleuse"].value == "110 m"
        (renamed,) = (found for key, found in facts.items() if key.startswith("imported/"))
        assert (renamed.value, renamed.description) == ("kept under another key", "../escape")

    asyncio.run(look())
    assert reasons(report) == {
        "short": "its time was over on 2025-09-23",
        "lost": "the index names it, but its file is gone",
    }


def test_offloaded_texts_and_archived_spans_are_told_apart(store: Store, tmp_path: Path) -> None:
    report = bring(library(tmp_path / "app"), store)
    assert report.counts == {"fact": (3, 0), "text": (2, 0), "archive": (1, 0)}
    places = {each.origin.file.rpartition("/")[2]: each.uri for each in report.taken if each.kind in {"text", "archive"}}

    async def look() -> None:
        assert await store.get(places["vfs_1758600000000_0a1b2c3d.txt"]) == b"an older listing\n" * 300
        (archive,) = (uri for uri in places.values() if uri.startswith("context://archive/"))
        lines = (await store.expand(archive)).splitlines()
        assert [json.loads(line) for line in lines] == json.loads(SPAN)["messages"]
        assert (await store.search("barnacles"))[0].uri == archive
        # Where a text is now that was called otherwise, the store can say.
        hits = await store.search("vfs_1758600000000_0a1b2c3d.txt", ("notes",))
        assert places["vfs_1758600000000_0a1b2c3d.txt"] in (await store.get(hits[0].uri)).decode()

    asyncio.run(look())


def test_nothing_that_was_imported_is_collected(store: Store, tmp_path: Path) -> None:
    bring(library(tmp_path / "app"), store)
    bring(toolbox(tmp_path / "work"), store)

    async def look() -> None:
        assert (await store.gc(min_age=0)).removed == ()
        assert (await store.verify()).ok

    asyncio.run(look())


def test_the_namespaces_of_todays_library_are_taken(store: Store, tmp_path: Path) -> None:
    report = bring(library_root(tmp_path / "context"), store)
    assert report.left == []
    assert report.counts == {"fact": (1, 0), "note": (1, 0), "text": (1, 0), "archive": (1, 0)}

    async def look() -> None:
        lead = await (await memory(store)).memory.facts.get("team/lead")
        assert lead is not None
        assert (lead.value, lead.description) == ("Ada", "who decides")
        assert await store.get("context://notes/todo/today.md") == b"1. paint\n2. oil\n"

    asyncio.run(look())


def test_a_folder_of_notes_by_itself_is_nobodys(store: Store, tmp_path: Path) -> None:
    write_json(tmp_path / "own", "notes/todo", {"content": "mine", "meta": {}})
    with pytest.raises(InputError, match="nothing of an earlier system"):
        bring(tmp_path / "own", store)


def test_messages_that_are_no_span_are_a_text(store: Store, tmp_path: Path) -> None:
    write_offloaded(tmp_path / "vfs", json.dumps({"messages": [{"role": "user"}]}))
    write_offloaded(tmp_path / "vfs", span({"content": "nobody says it"}))
    assert bring(tmp_path / "vfs", store).counts == {"text": (2, 0)}


# ── damage, and what is not followed ───────────────────────────────────────────────────────────────────────────────────


def test_of_a_file_that_is_cut_off_the_whole_records_are_taken(store: Store, tmp_path: Path) -> None:
    path = write_store(tmp_path / "work", [fact(number, f"Fact {number}.") for number in range(40)])
    path.write_bytes(path.read_bytes()[:-100])
    report = bring(tmp_path / "work", store)
    (left,) = report.faults
    taken = report.counts["fact"][0]
    assert 30 < taken < 40
    assert left.reason == f"it is cut off, after {taken} whole records"


def test_the_copy_beside_a_damaged_file_fills_the_gap(store: Store, tmp_path: Path) -> None:
    records = [fact(number, f"Fact {number}.") for number in range(40)]
    path = write_store(tmp_path / "work", records)
    write_json(path.parent, path.name + ".backup.json", records)
    whole = bring(tmp_path / "work", store)
    assert reasons(whole) == {
        ".session_context/.ai_toolbox_memory.msgpack.backup.json": (
            "a copy of .session_context/.ai_toolbox_memory.msgpack, which was read"
        )
    }
    path.write_bytes(path.read_bytes()[:500])
    write_json(path.parent, path.name + ".backup.json", [*records, fact(40, "Fact 40.")])
    report = bring(tmp_path / "work", store)
    assert report.counts["fact"] == (1, 40 + report.counts["fact"][1] - 40)
    assert len(report.faults) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x91\xc1",
        b"\xdd\xff\xff\xff\xff",
        b"\x91" * 300,
        b"\x91\xc6\xff\xff\xff\xff",
        b"not msgpack",
        b"\xff" * 64,
    ],
    ids=repr,
)
def test_a_file_that_is_no_list_of_records_is_named(store: Store, tmp_path: Path, data: bytes) -> None:
    path = write_store(tmp_path / "work", [])
    path.write_bytes(data)
    report = bring(tmp_path / "work", store)
    assert report.taken == []
    assert len(report.faults) == 1


def test_json_under_the_name_of_msgpack_is_read_all_the_same(store: Store, tmp_path: Path) -> None:
    path = write_store(tmp_path / "work", [])
    path.write_text(json.dumps([fact(1, "Written by one version.")]))
    assert bring(tmp_path / "work", store).counts == {"fact": (1, 0)}


def test_records_that_are_neither_kind_are_named_by_their_place(store: Store, tmp_path: Path) -> None:
    work = tmp_path / "work"
    write_store(work, [{"foo": 1}, entry("ctx_1", ""), {"id": "x"}, state("memory_1", None)])
    report = bring(work, store)
    assert reasons(report) == {
        "record 0": "neither an entry nor a state record",
        "record 2": "neither an entry nor a state record",
        "memory_1": "it says nothing",
    }
    assert report.counts == {"entry": (1, 0)}


def test_values_of_any_kind_where_text_is_meant_do_no_harm(store: Store, tmp_path: Path) -> None:
    write_store(
        tmp_path / "work",
        [
            entry("ctx/../1", {"nested": [1, None]}, title=7, tags=["ok", None, 42], type=None, timestamp="soon"),  # type: ignore[arg-type]
            state("memory_1", {"fact": ["a", "b"]}),
        ],
    )
    report = bring(tmp_path / "work", store)
    assert report.counts == {"fact": (1, 0), "entry": (1, 0)}

    async def look() -> None:
        (found,) = await (await memory(store)).memory.entries.list()
        assert (found.content, found.title, found.tags) == ('{"nested":[1,null]}', "7", ("ok",))

    asyncio.run(look())


def test_an_absurd_record_is_passed_over_and_the_rest_taken(store: Store, tmp_path: Path) -> None:
    write_store(tmp_path / "work", [fact(1, "before"), fact(2, "x" * (17 << 20)), fact(3, "after")])
    report = bring(tmp_path / "work", store)
    assert report.counts == {"fact": (2, 0)}
    assert [left.reason for left in report.faults] == ["a record of 17,825,879 bytes"]


def test_what_is_too_long_for_memory_is_a_note(store: Store, tmp_path: Path) -> None:
    text = "long " * 60_000
    write_store(tmp_path / "work", [entry("ctx_long", text)])
    report = bring(tmp_path / "work", store)
    assert report.counts == {"note": (1, 0)}
    assert asyncio.run(store.get(report.taken[0].uri)) == text.encode()
    assert bring(tmp_path / "work", store).counts == {"note": (0, 1)}


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
def test_links_out_of_the_source_pipes_and_the_like_are_not_opened(store: Store, tmp_path: Path) -> None:
    app = library(tmp_path / "app")
    secret = tmp_path / "secret.txt"
    secret.write_text("zugschluessel")
    vfs = app / ".context_vfs"
    (vfs / "vfs_0000000000000001.txt").symlink_to(secret)
    (vfs / "vfs_0000000000000002.txt").symlink_to("vfs_1758600000000_0a1b2c3d.txt")
    os.mkfifo(vfs / "vfs_0000000000000003.txt")
    report = bring(app, store)
    named = {left.origin.id: left.reason for left in report.faults}
    assert named.pop("lost")
    assert named == {
        "context://vfs/vfs_0000000000000001.txt": "a link that leads out of what is imported",
        "context://vfs/vfs_0000000000000003.txt": "it is no plain file",
    }
    assert report.counts["text"] == (2, 1)
    assert asyncio.run(store.search("zugschluessel")) == []


def test_a_folder_that_is_a_link_out_is_not_entered(store: Store, tmp_path: Path) -> None:
    library(tmp_path / "other")
    write_store(tmp_path / "work", [fact(1, "ours")])
    (tmp_path / "work" / ".context_vfs").symlink_to(tmp_path / "other" / ".context_vfs")
    report = bring(tmp_path / "work", store)
    assert report.counts == {"fact": (1, 0)}
    assert reasons(report) == {".context_vfs": "a link that leads out of what is imported"}


def test_a_file_of_absurd_size_is_named_and_not_read(store: Store, tmp_path: Path) -> None:
    path = write_offloaded(tmp_path / "vfs", "x")
    with path.open("r+b") as file:
        file.truncate(1 << 40)
    (left,) = bring(tmp_path / "vfs", store).faults
    assert left.reason == "1,099,511,627,776 bytes are more than the 67,108,864 that are read of such a file"


def test_a_payload_that_is_not_what_its_name_says_is_kept_and_said_to_be(store: Store, tmp_path: Path) -> None:
    path = write_payload(tmp_path / "work", "as it was")
    path.write_bytes(b"bent")
    report = bring(tmp_path / "work", store)
    assert report.counts == {"text": (1, 0)}
    assert report.taken[0].remarks == ("its bytes are not the ones that it was named after",)


# ── once, and without touching the source ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("make", [toolbox, library, library_root])
def test_to_import_again_adds_nothing(store: Store, tmp_path: Path, make: Callable[[Path], Path]) -> None:
    first = bring(make(tmp_path / "work"), store)

    async def listed() -> dict[str, bytes]:
        return {
            f"{name}/{path}": found.data
            for name in ("memory", "notes", "vfs", "archive", "sessions", "projects")
            for path, found in (await store.read_all(name)).items()
        }

    before = asyncio.run(listed())
    again = bring(tmp_path / "work", store)
    assert asyncio.run(listed()) == before
    assert all(not each.fresh for each in again.taken)
    assert [each.uri for each in again.taken] == [each.uri for each in first.taken]
    assert again.left == first.left


@pytest.mark.parametrize("make", [toolbox, library, library_root])
def test_the_source_is_never_changed(store: Store, tmp_path: Path, make: Callable[[Path], Path]) -> None:
    work = make(tmp_path / "work")
    before = everything(tmp_path / "work")
    bring(work, store)
    assert everything(tmp_path / "work") == before


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_source_that_cannot_be_written_is_imported(store: Store, tmp_path: Path) -> None:
    work = toolbox(tmp_path / "work")
    folders = [work, *(path for path in work.rglob("*") if path.is_dir())]
    for path in work.rglob("*"):
        if path.is_file():
            path.chmod(0o400)
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert bring(work, store).faults == []
    finally:
        for folder in folders:
            folder.chmod(0o700)


def test_an_import_that_was_killed_is_completed_by_another(tmp_path: Path) -> None:
    work = tmp_path / "work"
    write_store(work, [entry(f"ctx_{number}", f"Entry {number}. " * 20) for number in range(600)])
    for number in range(200):
        write_payload(work, f"payload {number}\n" * 200)
    where = tmp_path / "store.db"
    command = (sys.executable, "-m", "transom", "import", str(work), "--store", str(where))
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    async def entries() -> int:
        async with open_store(where) as opened:
            return len(await opened.list("memory"))

    ends = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < ends:
        if where.exists() and asyncio.run(entries()) > 50:
            break
    process.send_signal(signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
    process.wait()

    async def look() -> None:
        async with open_store(where) as opened:
            before = len(await opened.list("memory"))
            report = await import_memory(work, opened, clock=lambda: NOW)
            assert report.counts["entry"] == (600 - before, before)
            assert len(await opened.list("vfs")) == 200
            assert (await opened.gc(min_age=0)).removed == ()
            again = await import_memory(work, opened, clock=lambda: NOW)
            assert again.counts == {"entry": (0, 600), "text": (0, 200)}

    asyncio.run(look())


# ── as a user types it ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_origin_is_told_with_the_rest(transom: Transom, tmp_path: Path) -> None:
    transom("import", toolbox(tmp_path / "work"))
    origin = {"importer": "ai-toolbox", "file": ".session_context/.ai_toolbox_memory.msgpack", "id": "memory_17"}
    assert transom("memory", "get", "memory_17", "--json").json["origin"] == origin
    assert transom("memory", "get", "ctx_1_aa", "--json").json["origin"] == {**origin, "id": "ctx_1_aa"}


def test_what_was_imported_is_found_by_search(transom: Transom, tmp_path: Path) -> None:
    done = transom("import", toolbox(tmp_path / "work"))
    assert (done.status, done.stdout.splitlines()[0].split()) == (0, ["kind", "taken", "already", "here"])
    assert transom("memory", "search", "who is the harbour master", "--json").json["hits"][0]["key"] == f"memory_{MOMENT + 1}"
    assert transom("memory", "search", "quay flood", "--json").json["hits"][0]["id"] == "ctx_1_aa"
    assert transom("store", "search", "barnacles", "--json").json["hits"][0]["uri"].startswith("context://vfs/")
    assert transom("memory", "get", "ctx_1_aa").stdout == "The old quay is closed since the flood."


def test_a_dry_run_says_the_same_and_makes_nothing(transom: Transom, tmp_path: Path) -> None:
    work = toolbox(tmp_path / "work")
    library(tmp_path / "work")
    dry = transom("import", work, "--dry-run", "--json")
    assert not (tmp_path / "store.db").exists()
    real = transom("import", work, "--json")
    assert dry.json["counts"] == real.json["counts"]
    assert dry.json["left"] == real.json["left"]
    after = transom("import", work, "--dry-run", "--json")
    assert all(not each["new"] for each in after.json["taken"])


def test_what_could_not_be_read_makes_the_exit_status_1(transom: Transom, tmp_path: Path) -> None:
    path = write_store(tmp_path / "work", [fact(1, "whole"), fact(2, "cut off")])
    path.write_bytes(path.read_bytes()[:-5])
    done = transom("import", tmp_path / "work")
    assert done.status == 1
    assert "not read: .session_context/.ai_toolbox_memory.msgpack: it is cut off, after 1 whole records" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere",), "nowhere: No such file or directory (check the path)"),
        (("empty",), "nothing of an earlier system is at empty (name the folder that holds .session_context"),
        (("work", "--project", "nobody"), "no project 'nobody' is registered (none is; transom memory register NAME adds one)"),
    ],
)
def test_what_cannot_be_imported_is_one_line(transom: Transom, arguments: tuple[str, ...], told: str) -> None:
    Path("empty").mkdir()
    write_memory(Path("work/.context_memory"), "a", "b")
    before = sorted(Path().iterdir())
    done = transom("import", *arguments)
    assert (done.status, done.stdout) == (1, "")
    assert done.stderr.startswith(f"transom: {told}")
    assert len(done.stderr.splitlines()) == 1
    assert sorted(Path().iterdir()) == before
