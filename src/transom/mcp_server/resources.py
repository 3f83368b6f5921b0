"""What left the window, as resources: ``context://…``, byte for byte.

Listed are the namespaces a person would look in; any address of the store can be read. Subscribing is accepted: what is stored
under an address of its content never changes, and the others are announced when the client reads them again.
"""

from __future__ import annotations

from base64 import b64encode

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    EmptyResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    SubscribeRequestParams,
    TextResourceContents,
    UnsubscribeRequestParams,
)

from ..errors import NotFoundError, URIError
from ..store.store import Store
from ..store.uri import parse_uri
from ..vocabulary.serving import ServingWords
from .paging import page
from .sessions import Context, is_stateless

__all__ = ["LISTED", "TEMPLATE", "Resources", "contents"]

LISTED = ("memory", "notes", "sessions", "plans", "archive", "vfs")
TEMPLATE = "context://{namespace}/{+path}"
PAGE = 100
RESOURCE_NOT_FOUND = -32002
"""The protocol's code for it on the handshake revisions; the stateless one has it among the invalid parameters."""
_MEDIA = {"archive": "application/jsonl", "memory": "text/markdown", "notes": "text/markdown", "plans": "application/json"}


class Resources:
    """The resources of one server.

    Args:
        store: where they are.
        words: how they are described.
    """

    def __init__(self, store: Store, words: ServingWords) -> None:
        self._store = store
        self._words = words

    async def list(self, _: Context, params: PaginatedRequestParams) -> ListResourcesResult:
        """``resources/list``, in pages."""
        found = [
            Resource(
                uri=self._store.uri(namespace, stat.path),
                name=f"{namespace}/{stat.path}",
                mime_type=_MEDIA.get(namespace),
                size=stat.size,
            )
            for namespace in LISTED
            for stat in await self._store.stats(namespace)
        ]
        shown, cursor = page(found, params.cursor, PAGE, lambda item: item.uri)
        return ListResourcesResult(resources=list(shown), next_cursor=cursor)

    async def templates(self, _: Context, __: PaginatedRequestParams) -> ListResourceTemplatesResult:
        """``resources/templates/list``."""
        template = ResourceTemplate(
            uri_template=TEMPLATE,
            name="context",
            title=self._words.template_title,
            description=self._words.template_help,
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """``resources/read``.

        Raises:
            MCPError: nothing is stored there, or it is no address.
        """
        try:
            data = await self._store.get(params.uri)
        except (NotFoundError, URIError) as error:
            gone = isinstance(error, NotFoundError) and not is_stateless(context)
            raise MCPError(RESOURCE_NOT_FOUND if gone else INVALID_PARAMS, error.message, {"uri": params.uri}) from None
        return ReadResourceResult(contents=[contents(params.uri, data)])

    async def subscribe(self, _: Context, params: SubscribeRequestParams) -> EmptyResult:
        """``resources/subscribe``."""
        _checked(params.uri)
        return EmptyResult()

    async def unsubscribe(self, _: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """``resources/unsubscribe``."""
        _checked(params.uri)
        return EmptyResult()


def contents(uri: str, data: bytes) -> TextResourceContents | BlobResourceContents:
    """Bytes as a resource: as text where they are some, which gives them back exactly."""
    kind = _MEDIA.get(parse_uri(uri).namespace)
    try:
        return TextResourceContents(uri=uri, mime_type=kind or "text/plain", text=data.decode())
    except UnicodeDecodeError:
        return BlobResourceContents(uri=uri, mime_type="application/octet-stream", blob=b64encode(data).decode())


def _checked(uri: str) -> None:
    try:
        parse_uri(uri)
    except URIError as error:
        raise MCPError(INVALID_PARAMS, error.message, {"uri": uri}) from None
