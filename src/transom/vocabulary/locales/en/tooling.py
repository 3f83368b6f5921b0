"""English. See ``vocabulary.tooling``."""

from __future__ import annotations

from ...tooling import ToolingWords

__all__ = ["TOOLING"]

TOOLING = ToolingWords(
    failed="Error: {text}",
    unknown_tool="There is no tool {name}.",
    meant_tools="Use {names} instead.",
    similar_tools="Similar names: {names}.",
    unknown_argument="{tool} takes no argument {names}. It takes: {valid}.",
    no_arguments="{tool} takes no arguments, so no {names}. Call it without any.",
    missing_argument="{tool} needs {names}. Its arguments are: {valid}.",
    bad_argument="An argument of {tool} does not fit: {detail}.",
    unlisted="`{name}` cannot be {value}; it is one of {allowed}",
    nearest=" (nearest: {near})",
    wrong_kind="`{name}` must be {wanted}, not {got}",
    kinds={
        "str": "text",
        "int": "a whole number",
        "float": "a number",
        "bool": "true or false",
        "array": "a list",
        "object": "an object",
        "null": "null",
    },
    either=" or ",
    least="`{name}` must be at least {bound}",
    most="`{name}` must be at most {bound}",
    over="`{name}` must be more than {bound}",
    under="`{name}` must be less than {bound}",
    shortest="the number of {unit} in `{name}` must be at least {bound}",
    longest="the number of {unit} in `{name}` must be at most {bound}",
    exactly="the number of {unit} in `{name}` must be {bound}",
    units={"str": "characters", "array": "items", "object": "members"},
    not_an_object="The arguments of {tool} are not a JSON object. Send them as one, by name.",
    disabled="{tool} is switched off. The user can switch it on with --enable {tool}, or its family with --enable {family}.",
    confirm=(
        '{tool} needs the user\'s consent. Nothing was done. Ask; if the user wants it, call it again with "confirm": true.'
    ),
    declined="The user was asked about {tool} and said no. Nothing was done; ask what to do instead.",
    question="Let {tool} do this? {arguments}",
    unavailable="{tool} needs something that is not there: {what}.",
    timeout="{tool} was stopped: it took longer than {seconds:g} seconds. Ask for less at once.",
    cancelled="{tool} was called off.",
    no_space="{tool} was not done: there is no room left on the disk. Free some space, then try again.",
    read_only_disk="{tool} was not done: the file system is read-only. Use another folder, or ask the user.",
    no_permission="{tool} was not done: the system allows no access. Use another path, or ask the user for access.",
    too_many_open="{tool} was not done: too many files are open. Let other calls end, then try again.",
    refused="{tool} was not done: {reason}.",
    fault="{tool} broke: {kind}. Nothing more is known; the same call may break again, so try another way.",
    put_off="{tool} was not done, because other calls still run. Nothing changed. Call it again when they have ended.",
    doubts={
        "inferred": "[inferred: this was concluded, not read off a source]",
        "ambiguous": "[ambiguous: this is one of several readings]",
    },
    alias="[{alias} is an older name of {tool}; call {tool} from now on]",
    alias_failed="[older name {alias} of {tool}] {text}",
    repeated="[{tool} was called {times} times in a row just like this; the answer will not change, so do something else]",
    budget="[context ~{used}/{window} = {percent}%]",
    budget_short="[context ~{used}/{window} = {percent}%: nearly full, so finish or ask for little]",
    families="Tools by family:",
    family_line="- {family}: {tools}",
    off=" (off)",
    found="Tools that fit “{query}”:",
    found_line="- {tool}: {description}",
    nothing_found="No tool fits “{query}”. Say it in other words, or call this without a query to see every family.",
    how_to_call="Look at one with tool_name before you call it; call it with execute_tool.",
    described="{tool}: {description}\nArguments (JSON Schema): {schema}",
)
