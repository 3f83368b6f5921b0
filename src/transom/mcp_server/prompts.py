"""Prompts a user picks in the client: each skill under its own name, and reading something back into the conversation.

Skills are found and loaded through the toolbox, so what is true for a model's call is true here.
"""

from __future__ import annotations

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    EmbeddedResource,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from ..errors import TransomError
from ..store.store import Store
from ..toolbox.box import Toolbox
from ..toolbox.dispatch import Caller
from ..vocabulary.serving import ServingWords
from .paging import page
from .resources import contents
from .sessions import Context, Sessions

__all__ = ["READ_BACK", "Prompts"]

READ_BACK = "read_back"
PAGE = 100
_LIST, _LOAD = "list_skills", "load_skill"


class Prompts:
    """The prompts of one server.

    Args:
        toolbox: where skills come from, if it has them.
        store: what is read back.
        sessions: whom requests are from.
        words: how prompts are described.
    """

    def __init__(self, toolbox: Toolbox, store: Store, sessions: Sessions, words: ServingWords) -> None:
        self._toolbox = toolbox
        self._store = store
        self._sessions = sessions
        self._words = words

    async def skills(self, context: Context) -> list[tuple[str, str]]:
        """The skills there are: name and description."""
        if not self._toolbox.knows(_LIST):
            return []
        listed = await self._toolbox.call(_LIST, {}, self._caller(context))
        skills = listed.data.get("skills")
        return [
            (str(skill["name"]), str(skill.get("description", "")))
            for skill in (skills if isinstance(skills, list) else [])
            if isinstance(skill, dict) and skill.get("name") not in {None, READ_BACK}
        ]

    async def get(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        """``prompts/get``.

        Raises:
            MCPError: there is no such prompt, or what it names is not there.
        """
        given = params.arguments or {}
        if params.name == READ_BACK:
            return await self._read_back(given.get("uri", ""))
        for name, description in await self.skills(context):
            if name == params.name:
                arguments = {"name": name} | ({"arguments": given["arguments"]} if given.get("arguments") else {})
                loaded = await self._toolbox.call(_LOAD, arguments, self._caller(context))
                if not loaded.ok:
                    raise MCPError(INVALID_PARAMS, loaded.text)
                return GetPromptResult(description=description, messages=[_said(loaded.text)])
        raise MCPError(INVALID_PARAMS, f"There is no prompt {params.name}.")

    async def _read_back(self, uri: str) -> GetPromptResult:
        try:
            data = await self._store.get(uri)
        except TransomError as error:
            raise MCPError(INVALID_PARAMS, error.message) from None
        held = PromptMessage(role="user", content=EmbeddedResource(resource=contents(uri, data)))
        return GetPromptResult(
            description=self._words.read_back_help, messages=[_said(self._words.read_back_opening.format(uri=uri)), held]
        )

    async def list(self, context: Context, params: PaginatedRequestParams) -> ListPromptsResult:
        """``prompts/list``, in pages."""
        words = self._words
        uri = PromptArgument(name="uri", description=words.read_back_uri, required=True)
        found = [Prompt(name=READ_BACK, title=words.read_back_title, description=words.read_back_help, arguments=[uri])]
        extra = PromptArgument(name="arguments", description=words.skill_arguments, required=False)
        for name, description in await self.skills(context):
            found.append(Prompt(name=name, title=name, description=description, arguments=[extra]))
        shown, cursor = page(found, params.cursor, PAGE, lambda item: item.name)
        return ListPromptsResult(prompts=list(shown), next_cursor=cursor)

    def _caller(self, context: Context) -> Caller:
        session = self._sessions.of(context)
        return Caller(session=session.id, stateful=session.id is not None, services=session.services)


def _said(text: str) -> PromptMessage:
    return PromptMessage(role="user", content=TextContent(text=text))
