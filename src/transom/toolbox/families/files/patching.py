"""Applying patches to many files at once, all or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from ...access.workspace import Workspace
from ...editing.document import encoded
from ...editing.file import alone, count_change, refused
from ...tool import Refused, Result, ToolContext, tool

if TYPE_CHECKING:
    from ...editing.patch import FileChange
    from ...editing.patching import Outcome

__all__ = ["apply_patch"]


@tool(family="files", title="Apply a patch", visible=True, tier=2)
def apply_patch(context: ToolContext, patch: Annotated[str, Meta(max_length=2_000_000)], dry_run: bool = False) -> Result:
    """Change several places and files in one call, all or nothing.

    Takes a unified diff, or sections between the lines `*** Begin Patch` and `*** End Patch`, each headed by one of
    `*** Update File: PATH` (then perhaps `*** Move to: PATH`), `*** Add File: PATH`, `*** Delete File: PATH`. Hunks begin with
    `@@`, perhaps followed by a line that stands above the place; their lines begin with a blank (kept), - or +.

    Args:
        patch: The patch. Give two or three kept lines around each change.
        dry_run: Only show what would change.
    """
    # What reads patches and finds their places is loaded by the first one.
    from ...editing.patch import parsed

    with refused(context, ""):
        encoded(patch, "patch")
        changes = parsed(patch)
    workspace = context.use(Workspace)
    named = [path for change in changes for path in (change.path, change.target) if path is not None]
    with alone(context, [workspace.place(path) for path in named]):
        return _applied(context, changes, dry=dry_run)


def _applied(context: ToolContext, changes: Sequence[FileChange], *, dry: bool) -> Result:
    from ...editing.patching import changes_of, worked_out

    words = context.words.editing
    outcomes, files = worked_out(context, changes)
    if not files:
        raise Refused("invalid_input", words.patch_nothing.format(path=", ".join(outcome.path for outcome in outcomes)))
    diff = "".join(outcome.diff for outcome in outcomes)
    data: dict[str, object] = {"files": [_told(outcome) for outcome in outcomes]}
    said = [line for outcome in outcomes for line in _lines(context, outcome)]
    if dry:
        return Result(data={**data, "dry_run": True, "diff": diff}, text="\n".join([words.would_change, *said, diff]))
    for file in files:
        if file.before is None:
            file.place.create_parents()
    context.use(Workspace).apply(changes_of(files))
    for file in files:
        if file.after is not None and file.place.read() != file.after:
            raise Refused("io_error", words.read_back.format(path=file.place.shown))
        note = words.changed_before(count_change(context, file.place))
        if note:
            said.append(f"{file.place.shown}: {note}")
    return Result(data=data, text="\n".join(said))


def _told(outcome: Outcome) -> dict[str, object]:
    told: dict[str, object] = {"path": outcome.path, "change": outcome.change.kind}
    if outcome.target is not None:
        told["target"] = outcome.target
    if outcome.places:
        told["hunks"] = [
            {"line": place.line, "said": place.said, "match": place.how, "indented": place.indented} for place in outcome.places
        ]
    return told


def _lines(context: ToolContext, outcome: Outcome) -> list[str]:
    words = context.words.editing
    lines = ", ".join(str(place.line) for place in outcome.places)
    match outcome.change.kind:
        case "add":
            said = [words.added_file.format(path=outcome.path)]
        case "delete":
            said = [words.deleted_file.format(path=outcome.path)]
        case _ if outcome.target is not None:
            more = words.renamed_lines.format(lines=lines) if lines else ""
            said = [words.renamed_file.format(path=outcome.path, target=outcome.target, lines=more)]
        case _:
            said = [words.patched_file.format(path=outcome.path, lines=lines)]
    for number, place in enumerate(outcome.places, start=1):
        facts = {"hunk": number, "path": outcome.path, "line": place.line, "said": place.said}
        if place.how != "exact":
            what = words.trailing_only if place.how == "trailing_blanks" else words.around
            said.append(words.hunk_loose.format(**facts, what=what))
            if place.indented:
                said.append(words.hunk_reindented)
        elif place.said is not None and place.said != place.line:
            said.append(words.hunk_moved.format_map(facts))
    return said
