"""English. See ``vocabulary.selecting``."""

from __future__ import annotations

from ...selecting import SelectingWords

__all__ = ["SELECTING"]

SELECTING = SelectingWords(
    error="Error: {what}",
    load_toolkit=(
        "Loads a toolkit: tools for one kind of work that are not in your list yet. From your next message on they stand at "
        "the end of your list and stay there. Toolkits:"
    ),
    toolkit="The toolkit to load.",
    toolkit_line="- {name}: {description}",
    loaded="The toolkit {name} is loaded. From your next message on you can call:",
    loaded_before="The toolkit {name} is loaded already. You can call:",
    tool_line="- {signature}: {description}",
    plain_tool_line="- {signature}",
    tools_more="and {count} more; your list of tools has them all.",
    no_toolkit="name the toolkit to load, for example {example}. Toolkits: {names}.",
    unknown_toolkit="there is no toolkit {name}. Toolkits: {names}.",
    no_room=(
        "the toolkit {name} needs {tokens} tokens and {room} are left for tools, so it was not loaded. Work with the tools "
        "you have."
    ),
    namespace="{description} Actions:",
    action="What to do.",
    only_for="For {actions}: {description}",
    only_for_plain="For {actions}.",
    unknown_tool="there is no tool {tool}.",
    similar="Did you mean {names}?",
    others="There are: {names}.",
    some_others="There are: {names} and {count} more.",
    not_selected="the tool {tool} is not offered for this task.",
    not_loaded="the tool {tool} is in the toolkit {toolkit}, which is not loaded. Call {loader} with {example} first.",
    in_namespace="{tool} is an action of the tool {namespace}. Call {namespace} with {example} and its arguments.",
    blocked="the tool {tool} must not be used now. Go on without it, or ask the user.",
    blocked_why="the tool {tool} must not be used now: {why}",
    bad_json="the arguments of {tool} are no JSON ({why}). It is called as {signature}, with one JSON object.",
    no_object="the arguments of {tool} are no JSON object. It is called as {signature}, with one JSON object.",
    missing="{tool} was called without {names}. It is called as {signature}.",
    unexpected="{tool} takes no {names}. It is called as {signature}.",
    no_action="{tool} needs the argument {argument}. It is one of: {actions}.",
    unknown_action="{tool} has no action {action}. It is one of: {actions}.",
)
