"""What left the window, as resources; prompts; completion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    BlobResourceContents,
    EmbeddedResource,
    PromptReference,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from mcp import Client
from transom.mcp_server.paging import page
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.store import Store

from .conftest import Scene, scene_over
from .test_listing import BOTH, LEGACY, MODERN, OLDER


@BOTH
@pytest.mark.parametrize("data", [b"plain", "\ufeffr\u00e9sum\u00e9\r\n\r".encode(), b"\xff\x00\xfe", b""])
async def test_what_is_stored_is_read_byte_for_byte(scene: Scene, mode: str, data: bytes) -> None:
    uri = await scene.store.put("vfs", data)
    async with Client(scene.face.server, mode=mode) as client:
        (read,) = (await client.read_resource(uri)).contents
    match read:
        case TextResourceContents(text=text):
            assert text.encode() == data
        case BlobResourceContents(blob=blob):
            import base64

            assert base64.b64decode(blob) == data
    assert read.uri == uri


@pytest.mark.parametrize(
    ("uri", "codes"),
    [("context://vfs/gone", (-32002, -32602)), ("context://nowhere/x", (-32602, -32602)), ("file:///etc", (-32602,) * 2)],
)
async def test_what_is_not_there_is_an_error_of_the_protocol(scene: Scene, uri: str, codes: tuple[int, int]) -> None:
    for mode, code in zip((LEGACY, MODERN), codes, strict=True):
        async with Client(scene.face.server, mode=mode) as client:
            with pytest.raises(MCPError) as raised:
                await client.read_resource(uri)
        assert raised.value.error.code == code


async def test_resources_are_listed_in_pages_each_once(scene: Scene) -> None:
    written = {await scene.store.put("notes", str(number), path=f"n{number:04}") for number in range(250)}
    await scene.store.put("intents", "not for people", path="x")
    async with Client(scene.face.server) as client:
        seen: list[str] = []
        cursor: str | None = None
        pages = 0
        while True:
            shown = await client.list_resources(cursor=cursor)
            seen += [resource.uri for resource in shown.resources]
            pages += 1
            cursor = shown.next_cursor
            if cursor is None:
                break
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor="bm9wZQ==")
    assert set(seen) == written
    assert len(seen) == 250
    assert pages == 3


@given(st.lists(st.text(min_size=1, max_size=5), unique=True), st.integers(1, 4))
def test_pages_put_together_are_the_list(items: list[str], size: int) -> None:
    seen: list[str] = []
    cursor: str | None = None
    while True:
        shown, cursor = page(items, cursor, size, lambda item: item)
        seen += shown
        if cursor is None:
            break
    assert seen == items


async def test_a_template_says_what_addresses_look_like(scene: Scene) -> None:
    async with Client(scene.face.server) as client:
        (template,) = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "context://{namespace}/{+path}"
    assert template.description


async def test_a_damaged_text_is_an_error_that_says_so(tmp_path: Path) -> None:
    async with Store(FilesystemBackend(tmp_path / "store")) as store:
        uri = await store.put("vfs", b"as it was")
        file = store.physical_path(uri)
        assert file is not None
        file.write_bytes(b"as it is")
        async with Client(scene_over(tmp_path, store).face.server, mode=LEGACY) as client:
            with pytest.raises(MCPError, match="not the ones it was made from") as raised:
                await client.read_resource(uri)
            assert (await client.call_tool("echo", {"text": "still here"})).structured_content == {"said": "still here"}
    assert raised.value.error.code == INTERNAL_ERROR


@OLDER
async def test_subscribing_is_accepted(scene: Scene) -> None:
    async with Client(scene.face.server, mode=LEGACY) as client:
        await client.session.subscribe_resource("context://notes/a")
        await client.session.unsubscribe_resource("context://notes/a")


@BOTH
async def test_a_prompt_reads_something_back(scene: Scene, mode: str) -> None:
    uri = await scene.store.put("notes", "the plan", path="plan.md")
    async with Client(scene.face.server, mode=mode) as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["read_back"]
        opening, held = (await client.get_prompt("read_back", {"uri": uri})).messages
        for name, arguments in (("read_back", {"uri": "context://notes/gone"}), ("read_back", {}), ("nope", {})):
            with pytest.raises(MCPError):
                await client.get_prompt(name, arguments)
    assert isinstance(opening.content, TextContent)
    assert uri in opening.content.text
    assert isinstance(held.content, EmbeddedResource)
    assert isinstance(held.content.resource, TextResourceContents)
    assert held.content.resource.text == "the plan"


async def test_addresses_are_completed(scene: Scene) -> None:
    for name in ("plan.md", "plants.md", "other.md"):
        await scene.store.put("notes", "x", path=name)
    template = ResourceTemplateReference(uri="context://{namespace}/{+path}")
    prompt = PromptReference(name="read_back")
    async with Client(scene.face.server) as client:
        namespaces = await client.complete(template, {"name": "namespace", "value": "no"})
        paths = await client.complete(template, {"name": "path", "value": "pla"}, context_arguments={"namespace": "notes"})
        whole = await client.complete(prompt, {"name": "uri", "value": "context://notes/plan."})
        nothing = await client.complete(template, {"name": "path", "value": "../"}, context_arguments={"namespace": "notes"})
        other = await client.complete(PromptReference(name="x"), {"name": "uri", "value": ""})
    assert namespaces.completion.values == ["notes"]
    assert paths.completion.values == ["plan.md", "plants.md"]
    assert whole.completion.values == ["context://notes/plan.md"]
    assert nothing.completion.values == other.completion.values == []


@BOTH
async def test_each_skill_is_a_prompt_under_its_name(make: Callable[..., Scene], mode: str) -> None:
    scene = make(skills=True)
    folder = scene.root / ".transom" / "skills" / "release"
    folder.mkdir(parents=True)
    text = "---\nname: release\ndescription: Cut a release.\n---\nRelease $ARGUMENTS with care.\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    async with Client(scene.face.server, mode=mode) as client:
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        (message,) = (await client.get_prompt("release", {"arguments": "v2"})).messages
    assert list(prompts) == ["read_back", "release"]
    assert prompts["release"].description == "Cut a release."
    assert isinstance(message.content, TextContent)
    assert "Release v2 with care." in message.content.text
