"""Facts: written, read back, changed, renamed, forgotten in time; by projects and by processes."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from transom import FilesystemBackend, MemoryBackend, SQLiteBackend, Store
from transom.engine.memory.events import MemoryChanged, MemoryExpired
from transom.engine.memory.fact import Fact
from transom.engine.memory.facts import Facts
from transom.engine.memory.hooks import Change, MemorySettings
from transom.errors import InputError, MemoryRefusedError, NotFoundError, StoreError, URIError
from transom.store.backend import StorageBackend


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite", "filesystem"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    backends: dict[str, Callable[[], StorageBackend]] = {
        "memory": MemoryBackend,
        "sqlite": lambda: SQLiteBackend(tmp_path / "store.db"),
        "filesystem": lambda: FilesystemBackend(tmp_path / "store"),
    }
    async with Store(backends[request.param]()) as store:
        yield store


@pytest.mark.feature("S9")
async def test_a_fact_is_read_back_with_all_that_was_said_of_it(store: Store, clock: Clock) -> None:
    facts = Facts(store, clock=clock)
    written = await facts.set("style/quotes", "double", description="quotes in code", importance=0.9)
    assert written == Fact(
        key="style/quotes", value="double", description="quotes in code", importance=0.9, created=clock.now, updated=clock.now
    )
    assert await facts.get("style/quotes") == written
    assert await Facts(store, clock=clock).list() == [written]


@pytest.mark.feature("S9")
async def test_the_address_of_a_fact_gives_its_value_byte_for_byte(store: Store) -> None:
    value = "eins\r\nzwei\x00 \udcff ü\n"
    for project in ("", "shop"):
        fact = await Facts(store, project=project).set("a/b", value)
        assert await store.get(fact.uri) == value.encode("utf-8", "surrogatepass")
    assert (await Facts(store).set("a/b", value)).uri == "context://memory/a/b"


async def test_writing_again_counts_and_keeps_what_was_not_said_anew(store: Store, clock: Clock) -> None:
    facts = Facts(store, clock=clock)
    first = await facts.set("key", "one", description="about", importance=0.8)
    clock.now += 60
    second = await facts.set("key", "two")
    assert (second.created, second.updated, second.updates) == (first.created, clock.now, 1)
    assert (second.description, second.importance) == ("about", 0.8)
    third = await facts.set("key", "two", description="", importance=0.1)
    assert (third.description, third.importance, third.updates) == ("", 0.1, 2)


async def test_facts_come_in_key_order_and_by_their_beginning(store: Store) -> None:
    facts = Facts(store)
    for key in ("b", "a/z", "a", "a/B", "ä"):
        await facts.set(key, key)
    assert [fact.key for fact in await facts.list()] == ["a", "a/B", "a/z", "b", "ä"]
    assert [fact.key for fact in await facts.list("a/")] == ["a/B", "a/z"]
    assert await facts.list("c") == []


async def test_deleting_says_whether_there_was_something(store: Store) -> None:
    facts = Facts(store)
    await facts.set("key", "value")
    assert await facts.delete("key")
    assert not await facts.delete("key")
    assert await facts.get("key") is None
    assert await Facts(store).list() == []


async def test_a_renamed_fact_keeps_everything_else(store: Store, clock: Clock) -> None:
    facts = Facts(store, clock=clock)
    old = await facts.set("old", "value", description="about", importance=0.7, ttl=60)
    new = await facts.rename("old", "new/name")
    assert (new.value, new.description, new.importance, new.created, new.expires_at) == (
        "value",
        "about",
        0.7,
        old.created,
        old.expires_at,
    )
    assert [fact.key for fact in await Facts(store, clock=clock).list()] == ["new/name"]


async def test_a_rename_never_overwrites(store: Store) -> None:
    facts = Facts(store)
    await facts.set("one", "1")
    await facts.set("two", "2")
    for new in ("two", "one"):
        with pytest.raises(MemoryRefusedError, match="already"):
            await facts.rename("one", new)
    with pytest.raises(NotFoundError, match="no fact 'three'"):
        await facts.rename("three", "four")
    assert {fact.key: fact.value for fact in await facts.list()} == {"one": "1", "two": "2"}


@pytest.mark.parametrize("key", ["", "/a", "a/", "../a", "a\\b", "a\nb", "x" * 2000])
async def test_a_key_that_is_no_path_is_refused(key: str) -> None:
    facts = Facts(Store(MemoryBackend()))
    with pytest.raises(URIError):
        await facts.set(key, "value")


@pytest.mark.parametrize("key", ["entries", "entries/global/x", "projects", "projects/other/key"])
async def test_a_key_that_belongs_to_others_is_refused(key: str) -> None:
    facts = Facts(Store(MemoryBackend()), project="mine")
    for call in (facts.set(key, "value"), facts.get(key), facts.delete(key)):
        with pytest.raises(MemoryRefusedError, match="no fact can be called"):
            await call


async def test_values_and_importance_that_make_no_sense_are_refused() -> None:
    facts = Facts(Store(MemoryBackend()))
    with pytest.raises(InputError, match="a fact is text, not dict"):
        await facts.set("key", {"a": 1})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"a fact of 262,145 bytes"):
        await facts.set("key", "x" * 262_145)
    for importance in (-0.1, 1.1, math.nan):
        with pytest.raises(InputError, match="an importance of"):
            await facts.set("key", "value", importance=importance)
    for lifetime in ({"ttl": 0.0}, {"ttl": math.nan}):
        with pytest.raises(InputError, match="over at once"):
            await facts.set("key", "value", **lifetime)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="over at once"):
        await facts.set("key", "value", ttl_turns=0)
    assert await facts.list() == []


async def test_the_largest_value_is_kept_whole(store: Store) -> None:
    facts = Facts(store)
    await facts.set("key", "ü" * 131_072)
    fact = await Facts(store).get("key")
    assert fact is not None
    assert fact.value == "ü" * 131_072


# ── time ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.feature("S9")
async def test_a_fact_is_gone_when_its_seconds_are_over_whether_it_was_removed_or_not(store: Store, clock: Clock) -> None:
    facts = Facts(store, clock=clock)
    await facts.set("short", "value", ttl=60)
    await facts.set("long", "value", ttl=math.inf)
    clock.now += 59.9
    assert [fact.key for fact in await facts.list()] == ["long", "short"]
    clock.now += 0.1
    assert [fact.key for fact in await facts.list()] == ["long"]
    assert await facts.get("short") is None
    assert not await facts.delete("short")
    assert await store.read("memory", "short") is not None
    assert [fact.key for fact in await facts.expire()] == ["short"]
    assert await store.read("memory", "short") is None


@pytest.mark.feature("S9")
async def test_a_fact_lasts_the_turns_it_was_given(store: Store) -> None:
    facts = Facts(store)
    await facts.set("hint", "value", ttl_turns=2, turn=5)
    assert await facts.get("hint", turn=6) is not None
    assert await facts.list(turn=7) == []
    # A session that goes back to an earlier turn has it again, until it is removed.
    assert len(await facts.list(turn=6)) == 1
    assert await facts.expire(6) == []
    assert len(await facts.expire(7)) == 1
    assert await facts.list(turn=6) == []


async def test_the_turns_of_another_session_do_not_count(store: Store) -> None:
    await Facts(store, session="first").set("hint", "value", ttl_turns=2, turn=5)
    other = Facts(store, session="second")
    assert len(await other.list(turn=500)) == 1
    assert await other.expire(500) == []
    assert len(await Facts(store, session="first").expire(7)) == 1


async def test_a_fact_that_is_written_again_lasts_and_one_that_is_revised_keeps_its_end(store: Store, clock: Clock) -> None:
    facts = Facts(store, clock=clock)
    await facts.set("revised", "one", description="about", ttl=60)
    await facts.set("written", "one", ttl=60)
    revised = await facts.revise("revised", "two")
    await facts.set("written", "two")
    assert (revised.value, revised.description, revised.updates) == ("two", "about", 1)
    clock.now += 60
    assert [(fact.key, fact.value) for fact in await facts.list()] == [("written", "two")]
    with pytest.raises(NotFoundError, match="no fact 'revised'"):
        await facts.revise("revised", "three")


async def test_an_expired_fact_makes_room_for_a_new_one(store: Store, clock: Clock) -> None:
    facts = Facts(store, clock=clock)
    await facts.set("old", "one", description="about", ttl=1)
    await facts.set("other", "value")
    clock.now += 1
    assert (await facts.rename("other", "old")).value == "value"
    fact = await facts.set("old", "two", ttl=1)
    assert fact.updates == 2
    clock.now += 1
    assert (await facts.set("old", "three")).updates == 0


async def test_expiry_leaves_a_fact_that_another_process_wrote_anew(store: Store, clock: Clock) -> None:
    mine, theirs = Facts(store, clock=clock), Facts(store, clock=clock)
    await mine.set("key", "one", ttl=10)
    clock.now += 10
    await theirs.set("key", "two")
    assert await mine.expire() == []
    assert [fact.value for fact in await mine.list()] == ["two"]


# ── projects ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.feature("S9")
async def test_a_project_sees_its_own_facts_before_everybodys_and_never_anothers(store: Store) -> None:
    await Facts(store).set("shared", "global")
    await Facts(store).set("style", "global")
    shop, blog = Facts(store, project="shop"), Facts(store, project="blog")
    await shop.set("style", "of the shop")
    await blog.set("secret", "of the blog")
    assert {fact.key: fact.value for fact in await shop.list()} == {"shared": "global", "style": "of the shop"}
    assert await shop.get("secret") is None
    assert {fact.key: fact.value for fact in await Facts(store).list()} == {"shared": "global", "style": "global"}
    assert await shop.delete("style")
    assert [fact.value for fact in await shop.list("style")] == ["global"]
    # The path under which the store holds a fact names it as well.
    assert (await blog.get("projects/blog/secret")) == (await blog.get("secret"))


async def test_a_project_that_revises_a_global_fact_gets_its_own(store: Store) -> None:
    await Facts(store).set("style", "global", importance=0.8)
    shop = Facts(store, project="shop")
    own = await shop.revise("style", "of the shop")
    assert (own.project, own.importance) == ("shop", 0.8)
    assert [fact.value for fact in await Facts(store).list()] == ["global"]


async def test_clearing_takes_the_facts_of_one_project_only(store: Store) -> None:
    everybody, shop = Facts(store), Facts(store, project="shop")
    await everybody.set("a", "1")
    await shop.set("a", "2")
    await shop.set("b", "3")
    assert await shop.clear() == 2
    assert [fact.value for fact in await shop.list()] == ["1"]
    assert await everybody.clear() == 1


async def test_switching_changes_what_is_seen_and_set(store: Store) -> None:
    facts = Facts(store, project="shop")
    await facts.set("a", "shop")
    version = facts.version
    await facts.switch("blog")
    assert await facts.list() == []
    assert facts.version > version
    await facts.set("a", "blog")
    await facts.switch("shop")
    assert [fact.value for fact in await facts.list()] == ["shop"]
    with pytest.raises(InputError, match="a project called"):
        await facts.switch("a/b")


async def test_thousands_of_entries_beside_them_do_not_hide_facts(store: Store) -> None:
    for number in range(20):
        await store.put("memory", "entry", path=f"entries/global/{number}")
        await store.put("memory", "other", path=f"projects/other/{number}")
    await Facts(store).set("a", "1")
    assert [fact.key for fact in await Facts(store, project="mine").list()] == ["a"]


# ── versions ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_version_moves_with_changes_and_stands_still_without(store: Store, clock: Clock) -> None:
    facts = Facts(store, clock=clock)
    await facts.list()
    versions = [facts.version]
    await facts.set("a", "1", ttl=100)
    versions.append(facts.version)
    await facts.rename("a", "b")
    versions.append(facts.version)
    await facts.delete("b")
    versions.append(facts.version)
    assert versions == sorted(set(versions))
    for _ in range(3):
        await facts.list()
        await facts.get("a")
        await facts.refresh()
        await facts.expire()
    assert facts.version == versions[-1]


async def test_what_another_process_wrote_is_seen_after_a_refresh_and_by_key_at_once(store: Store) -> None:
    mine, theirs = Facts(store), Facts(store)
    assert await mine.list() == []
    await theirs.set("a", "1")
    await theirs.set("b", "2")
    assert await mine.list() == []
    version = mine.version
    assert await mine.get("a") is not None
    assert mine.version > version
    assert [fact.key for fact in await mine.list()] == ["a"]
    await mine.refresh()
    assert [fact.key for fact in await mine.list()] == ["a", "b"]


async def test_what_was_stored_by_hand_is_a_fact(store: Store) -> None:
    await store.put("memory", "text", path="plain")
    await store.put("memory", b"\xff\xfe", path="bytes")
    await store.put("memory", "x", path="odd", meta={"importance": "high", "updates": [], "expires_at": None})
    facts = {fact.key: fact for fact in await Facts(store).list()}
    assert facts["plain"] == Fact(key="plain", value="text")
    assert facts["bytes"].value == "\ufffd\ufffd"
    assert facts["odd"] == Fact(key="odd", value="x")


# ── rules ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.feature("S9")
async def test_only_allowed_keys_change_and_all_are_read(store: Store) -> None:
    await Facts(store).set("policy", "fixed")
    facts = Facts(store, settings=MemorySettings(allowed_keys=["name", "notes/", "user-*"]))
    for key in ("name", "notes/a/b", "user-7"):
        await facts.set(key, "value")
    for key in ("names", "notes", "policy"):
        with pytest.raises(MemoryRefusedError, match=f"the key '{key}' may not be changed") as refused:
            await facts.set(key, "value")
        assert "notes/" in refused.value.hint
    for call in (facts.delete("policy"), facts.rename("name", "policy2"), facts.rename("policy", "notes/x"), facts.clear()):
        with pytest.raises(MemoryRefusedError):
            await call
    assert [fact.key for fact in await facts.list()] == ["name", "notes/a/b", "policy", "user-7"]


@pytest.mark.feature("S9")
async def test_a_veto_is_asked_before_and_its_reason_is_told(store: Store) -> None:
    asked: list[Change] = []

    async def veto(change: Change) -> bool | str | None:
        asked.append(change)
        if change.new is not None and "password" in change.new.value:
            return "no secrets in memory"
        return change.kind != "deleted"

    facts = Facts(store, settings=MemorySettings(before_change=veto))
    await facts.set("a", "fine")
    with pytest.raises(MemoryRefusedError, match="writing 'b' was refused: no secrets in memory"):
        await facts.set("b", "password: x")
    with pytest.raises(MemoryRefusedError, match="deleting 'a' was refused"):
        await facts.delete("a")
    with pytest.raises(MemoryRefusedError, match="deleting 'a' was refused"):
        await facts.clear()
    await facts.rename("a", "c")
    assert [(change.key, change.kind) for change in asked] == [
        ("a", "added"),
        ("b", "added"),
        ("a", "deleted"),
        ("a", "deleted"),
        ("c", "renamed"),
    ]
    assert {fact.key: fact.value for fact in await Facts(store).list()} == {"c": "fine"}


async def test_a_veto_judges_what_is_then_done_even_when_another_comes_between(store: Store) -> None:
    other = Facts(store)
    asked: list[str | None] = []

    async def veto(change: Change) -> None:
        asked.append(change.old.value if change.old is not None else None)
        if len(asked) == 1:
            await other.set("key", "came between")

    facts = Facts(store, settings=MemorySettings(before_change=veto))
    fact = await facts.set("key", "mine")
    assert asked == [None, "came between"]
    assert (fact.value, fact.updates) == ("mine", 1)


async def test_changes_are_told_after_they_were_stored_and_may_change_more(store: Store, clock: Clock) -> None:
    told: list[tuple[str, str]] = []
    events: list[object] = []

    async def on_changed(change: Change) -> None:
        told.append((change.key, change.kind))
        assert (await Facts(store, clock=clock).get(change.key) is not None) == (change.new is not None)
        if change.key == "a" and change.kind == "added":
            await facts.set("count", "1")

    facts = Facts(store, settings=MemorySettings(on_changed=on_changed), clock=clock, emit=events.append)
    await facts.set("a", "one", ttl=5)
    await facts.set("a", "two", ttl=5)
    await facts.rename("count", "number")
    await facts.delete("number")
    clock.now += 5
    await facts.expire()
    assert told == [
        ("a", "added"),
        ("count", "added"),
        ("a", "changed"),
        ("number", "renamed"),
        ("number", "deleted"),
        ("a", "expired"),
    ]
    assert events == [
        MemoryChanged("a", "added", None, "one"),
        MemoryChanged("count", "added", None, "1"),
        MemoryChanged("a", "changed", "one", "two"),
        MemoryChanged("number", "renamed", "1", "1"),
        MemoryChanged("number", "deleted", "1", None),
        MemoryExpired("a", "two"),
    ]


@pytest.mark.feature("S9")
async def test_a_selector_chooses_what_stands_in_the_prompt(store: Store) -> None:
    settings = MemorySettings(select=lambda facts: [fact for fact in facts if fact.importance > 0.5])
    facts = Facts(store, settings=settings)
    await facts.set("low", "1")
    await facts.set("high", "2", importance=0.6)
    assert [fact.key for fact in await facts.injected()] == ["high"]
    assert len(await facts.list()) == 2


async def test_a_selector_that_gives_no_facts_is_told_so() -> None:
    facts = Facts(Store(MemoryBackend()), settings=MemorySettings(select=lambda facts: [fact.key for fact in facts]))  # type: ignore[misc]
    await facts.set("a", "1")
    with pytest.raises(InputError, match="select gave no facts"):
        await facts.injected()


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="memory placed in 'middle'"):
        MemorySettings(place="middle")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="negative"):
        MemorySettings(max_tokens=-1)
    with pytest.raises(InputError, match="allowed_keys is one text"):
        MemorySettings(allowed_keys="notes/")


async def test_what_a_store_cannot_remove_is_not_seen_and_tried_again(tmp_path: Path, clock: Clock) -> None:
    class Stubborn(MemoryBackend):
        """Deletes nothing for as long as it is told to."""

        broken = True

        async def delete(self, namespace: str, path: str) -> bool:
            if self.broken:
                raise OSError("read-only")
            return await super().delete(namespace, path)

    backend = Stubborn()
    events: list[object] = []
    facts = Facts(Store(backend), clock=clock, emit=events.append)
    await facts.set("a", "1", ttl=1)
    version = facts.version
    clock.now += 1
    assert await facts.expire() == []
    assert facts.version > version
    assert await facts.list() == []
    backend.broken = False
    await facts.refresh()
    assert [fact.key for fact in await facts.expire()] == ["a"]
    assert events[1:] == [MemoryExpired("a", "1")]


async def test_a_store_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("no directory")
    told: list[object] = []
    async with Store(SQLiteBackend(path / "store.db")) as store:
        facts = Facts(store, settings=MemorySettings(on_changed=told.append), emit=told.append)
        with pytest.raises(StoreError):
            await facts.set("a", "1")
        assert told == []
        assert facts.version == 0


@pytest.mark.feature("S9")
@pytest.mark.parametrize("names", [("x", "y"), ("x", "x")])
async def test_of_two_who_rename_one_fact_at_once_one_is_told_that_it_came_too_late(
    store: Store, names: tuple[str, str]
) -> None:
    for number in range(8):
        old = f"old{number}"
        one, two = Facts(store), Facts(store)
        await one.set(old, "value")
        found = await asyncio.gather(
            one.rename(old, f"{names[0]}{number}"), two.rename(old, f"{names[1]}{number}"), return_exceptions=True
        )
        won = [fact for fact in found if isinstance(fact, Fact)]
        assert len(won) == 1
        assert all(isinstance(told, Fact | NotFoundError | MemoryRefusedError) for told in found)
        assert [path for path in await store.list("memory") if path.endswith(str(number))] == [won[0].key]
        await one.delete(won[0].key)


@pytest.mark.feature("S9")
async def test_of_several_who_delete_one_fact_at_once_one_is_told_that_it_did(store: Store) -> None:
    several = [Facts(store) for _ in range(4)]
    for _ in range(5):
        await several[0].set("gone", "value")
        assert sorted(await asyncio.gather(*(facts.delete("gone") for facts in several))) == [False, False, False, True]


@pytest.mark.feature("S9")
async def test_a_fact_takes_the_key_of_one_whose_time_is_over(store: Store, clock: Clock) -> None:
    facts = Facts(store, clock=clock)
    await facts.set("old", "value")
    await facts.set("new", "short-lived", ttl=5)
    clock.now += 10
    assert (await facts.rename("old", "new")).value == "value"
    assert await store.list("memory") == ["new"]


@pytest.mark.feature("S9")
async def test_who_renames_a_fact_that_another_changes_meanwhile_moves_what_that_one_wrote(store: Store) -> None:
    """The hook is asked between looking and moving: what it does is what another process may do."""
    other = Facts(store)

    async def interfere(change: Change) -> None:
        if change.kind == "renamed" and change.old is not None and change.old.value == "before":
            await other.set("old", "after")

    facts = Facts(store, settings=MemorySettings(before_change=interfere))
    await facts.set("old", "before")
    assert (await facts.rename("old", "new")).value == "after"
    assert await store.list("memory") == ["new"]


@pytest.mark.parametrize("lasting", [{"ttl": 10**400}, {"ttl": 1e300}, {"ttl_turns": 10**400}])
async def test_a_lifetime_beyond_counting_is_refused(store: Store, lasting: dict[str, int]) -> None:
    with pytest.raises(InputError, match="longer than can be counted"):
        await Facts(store).set("a", "b", **lasting)  # type: ignore[arg-type]
    assert await store.list("memory") == []


async def test_numbers_that_somebody_stored_by_hand_and_no_float_holds_are_passed_over(store: Store) -> None:
    await store.put("memory", "value", path="a", meta={"kind": "fact", "importance": 10**400, "expires_at": 10**400})
    assert [(fact.value, fact.importance) for fact in await Facts(store).list()] == [("value", 0.5)]
