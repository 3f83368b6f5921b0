"""The report as a browser and a reader get it: well formed, self-contained, harmless, bounded, whole without a script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.report import render_report

from .replays import HOSTILE, make_replay

VOID = {"meta", "input", "br", "img", "link"}


class Page(HTMLParser):
    """Every element with its attributes, and the text a reader sees; refuses tags that do not nest."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(source)
        self.close()
        assert self.open == [], f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)

    @property
    def words(self) -> str:
        """The visible text with single spaces."""
        return " ".join(" ".join(self.text).split())

    def all(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        """The attributes of every such element."""
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and all(attributes.get(key.rstrip("_")) == value for key, value in wanted.items())
        ]


def data_of(source: str) -> dict[str, list[object]]:
    found = re.search(r'<script type="application/json" id="bars">(.*?)</script>', source)
    assert found
    loaded: dict[str, list[object]] = json.loads(found[1])
    return loaded


@pytest.mark.parametrize("turns", [0, 1, 3, 166, 3_000])
def test_a_session_of_any_length_gives_a_well_formed_page_of_bounded_size(turns: int) -> None:
    source = render_report(make_replay(turns))
    page = Page(source)
    assert len(source.encode()) < 1_000_000
    assert page.all("h1")
    assert len(page.all("tr")) <= 1_200


def test_ten_times_the_turns_do_not_give_ten_times_the_file() -> None:
    assert len(render_report(make_replay(20_000))) < 1.5 * len(render_report(make_replay(3_000)))


def test_nothing_is_fetched_from_anywhere() -> None:
    source = render_report(make_replay(40))
    page = Page(source)
    for tag, attributes in page.elements:
        assert tag not in {"link", "iframe", "object", "embed", "img", "base", "form"}
        for name in ("src", "href", "xlink:href", "action", "srcset", "data"):
            assert attributes.get(name, "#").startswith("#"), (tag, name)
    assert not re.search(r"https?://|url\(|@import|import\(", source)
    (policy,) = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy["content"].startswith("default-src 'none';")


def test_the_only_script_that_may_run_is_the_one_whose_digest_the_policy_names() -> None:
    source = render_report(make_replay(3, text=HOSTILE))
    script = re.findall(r"<script>(.*?)</script>", source, flags=re.DOTALL)
    assert len(script) == 1
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in source


def test_hostile_session_text_stays_text() -> None:
    source = render_report(make_replay(40, window=9_000, text=HOSTILE))
    page = Page(source)
    assert len(page.all("script")) == 2
    assert not page.all("img")
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in page.words
    source.encode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]", source)
    assert "[U+202E]gnp.exe" in page.words
    assert "[U+0000]" in page.words


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_no_text_can_add_an_element(text: str) -> None:
    plain = Page(render_report(make_replay(2, text="x")))
    replay = make_replay(2, text="x" + text)
    assert [tag for tag, _ in Page(render_report(replay)).elements] == [tag for tag, _ in plain.elements]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ["turn", "conversation", "segment", "input_tokens", "output_tokens", "window_id", "parts", "prefix_bytes", "moved"]
TURN = st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, JSON))


@settings(max_examples=60, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "turns": st.lists(TURN | JSON, max_size=4),
            **dict.fromkeys(("window", "totals", "limits", "store", "archive", "format", "strategy"), JSON),
        },
    )
)
def test_a_replay_that_lacks_or_mistypes_anything_still_gives_a_page(replay: dict[str, object]) -> None:
    Page(render_report(replay))


def test_the_same_replay_gives_the_same_page() -> None:
    assert render_report(make_replay(50)) == render_report(make_replay(50))


def test_the_summary_says_what_fitted_what_moved_and_what_the_prefix_did() -> None:
    words = Page(render_report(make_replay(166))).words
    assert re.search(r"The history grew to [\d,]+ tokens, 2\.8 times the window of 32,000\.", words)
    assert "No payload was over it: the heaviest of 166 model calls weighed" in words
    assert "4 windows closed on the way" in words
    assert "Within a window the prefix never broke; 97.4 %" in words


def test_a_session_that_fits_says_so() -> None:
    words = Page(render_report(make_replay(3))).words
    assert "All 3 model calls fitted as they were" in words
    assert "Nothing had to move" in words


def test_breaks_and_errors_are_named_in_words_and_not_by_colour_alone() -> None:
    replay = make_replay(20)
    turns = replay["turns"]
    assert isinstance(turns, list)
    turns[9]["prefix_break"] = True
    turns[14] |= {"error": "the system prompt alone is larger than the window", "output_tokens": 0, "parts": {}}
    words = Page(render_report(replay)).words
    assert "The prefix broke 1 time within a window" in words
    assert "1 turn could not be compiled, the first at turn 15: the system prompt alone is larger than the window" in words
    assert "prefix break" in words


def test_every_move_has_its_address_its_preview_and_the_command_that_reads_it_back() -> None:
    replay = make_replay(166)
    turns = replay["turns"]
    assert isinstance(turns, list)
    moves = [move for turn in turns for move in turn["moved"]]
    page = Page(render_report(replay))
    assert moves
    commands = [button["data-copy"] for button in page.all("button", class_="copy")]
    assert commands == [f"transom store get {move['uri']} --store demo-store.db" for move in moves]
    for move in moves:
        assert move["uri"] in page.words
    assert len(page.all("bdi", class_="preview")) == len(moves)


def test_a_command_with_odd_names_is_quoted_for_the_shell() -> None:
    replay = make_replay(60) | {"store": "my store; rm -rf ~.db"}
    commands = [button["data-copy"] for button in Page(render_report(replay)).all("button", class_="copy")]
    assert commands
    assert all(command.endswith(" --store 'my store; rm -rf ~.db'") for command in commands)


def test_previews_are_cut() -> None:
    replay = make_replay(60)
    turns = replay["turns"]
    assert isinstance(turns, list)
    for turn in turns:
        for move in turn["moved"]:
            move["preview"] = "long " * 100_000
    assert len(render_report(replay)) < 400_000


def test_the_picture_has_a_label_for_readers_and_a_table_beside_it() -> None:
    page = Page(render_report(make_replay(30)))
    pictures = page.all("svg")
    assert pictures
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in pictures)
    assert page.all("table", class_="turns")
    assert all(attributes["scope"] in {"row", "col"} for attributes in page.all("th"))
    titles = [tag for tag, _ in page.elements if tag == "title"]
    assert len(titles) == 31, "one for the page, one a turn"


def test_everything_that_scrolls_or_reacts_is_reached_by_keyboard() -> None:
    page = Page(render_report(make_replay(60)))
    (slider,) = page.all("input")
    assert slider["type"] == "range"
    assert slider["aria-label"]
    assert (slider["min"], slider["max"]) == ("0", "59")
    scrolling = page.all("div", class_="wide") + page.all("div", class_="scroll")
    assert scrolling
    assert all(box["tabindex"] == "0" and box["aria-label"] for box in scrolling)
    assert page.all("a", class_="skip") == [{"class": "skip", "href": "#everything-that-moved"}]
    targets = {attributes.get("id") for _, attributes in page.elements}
    assert {link["href"][1:] for link in page.all("a")} <= targets
    assert all(button["type"] == "button" for button in page.all("button"))


def test_controls_that_need_the_script_are_hidden_until_it_runs() -> None:
    page = Page(render_report(make_replay(60)))
    assert all("hidden" in button for button in page.all("button", class_="copy"))
    assert all("hidden" in row for row in page.all("div", class_="row scrub"))
    assert page.all("h3"), "the heaviest turn is told without a script"


def test_the_script_gets_one_row_a_bar_with_texts_only() -> None:
    rows = data_of(render_report(make_replay(3_000)))["bars"]
    assert 300 <= len(rows) <= 360
    title, spoken, facts, parts, moves, count = rows[0]  # type: ignore[misc]
    assert title == "Turn 9, heaviest of 1 to 9"  # type: ignore[has-type]
    assert spoken.startswith("Turns 1 to 9")  # type: ignore[has-type]
    assert dict(facts)["Window"] == "w1, main"  # type: ignore[has-type]
    assert len(parts) == 8  # type: ignore[has-type]
    assert isinstance(moves, list)  # type: ignore[has-type]
    assert count == 0  # type: ignore[has-type]


def test_a_peak_is_never_averaged_away() -> None:
    replay = make_replay(3_000)
    turns = replay["turns"]
    assert isinstance(turns, list)
    turns[1_234]["output_tokens"] = 31_999
    assert "31,999 tokens sent" in render_report(replay)


def test_replays_without_the_parts_are_drawn_whole() -> None:
    replay = make_replay(12)
    turns = replay["turns"]
    assert isinstance(turns, list)
    for turn in turns:
        del turn["parts"]
    del replay["limits"]
    page = Page(render_report(replay))
    assert "Not itemised" in page.words
    assert page.all("path", class_="other")


def test_limits_that_come_with_each_turn_are_followed() -> None:
    replay = make_replay(4)
    del replay["limits"]
    turns = replay["turns"]
    assert isinstance(turns, list)
    for turn, trigger in zip(turns, (20_000, 20_000, 20_500, 20_500), strict=True):
        turn["limits"] = {"window": 32_000, "trigger": trigger, "capacity": 28_800}
    page = Page(render_report(replay))
    assert "Trigger 20,000 – 20,500" in page.words
    assert "Reserved for the reply 3,200" in page.words
    (line,) = page.all("path", class_="trigger")
    assert line["d"].count("h") == 4


def test_a_closing_names_the_strategy_and_a_payload_over_the_window_is_called_so() -> None:
    replay = make_replay(60)
    turns = replay["turns"]
    assert isinstance(turns, list)
    closing = next(turn for turn in turns if any(move["kind"] == "evict" for move in turn["moved"]))
    closing["closed_by"] = "digest"
    turns[0]["over_window"] = True
    words = Page(render_report(replay)).words
    assert "window closed by digest" in words
    assert "over the window" in words


def test_left_out_rows_are_counted_and_named() -> None:
    words = Page(render_report(make_replay(3_000))).words
    assert re.search(r"[\d,]+ quieter turns not shown here; transom replay --json prints them all", words)


def test_a_style_for_dark_and_for_small_screens_and_for_little_motion_is_there() -> None:
    source = render_report(make_replay(1))
    for query in ("prefers-color-scheme: dark", "max-width: 640px", "prefers-reduced-motion", "focus-visible"):
        assert query in source


def test_windows_are_listed_with_what_left_at_their_end() -> None:
    words = Page(render_report(make_replay(166))).words
    assert re.search(r"w1 main 1 – \d+ [\d,]+ \d+ messages archived 12 %", words)
    assert "still open" in words


def test_any_mapping_will_do() -> None:
    replay: Mapping[str, object] = make_replay(2)
    assert render_report(replay).startswith("<!doctype html>")
