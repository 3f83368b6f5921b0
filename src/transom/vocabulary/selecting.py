"""What a model reads about the choice of its tools: toolkits, namespaces, and why a call was refused.

Templates for ``str.format``. A refusal says what to do instead, since it is the result of the call.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SelectingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SelectingWords:
    """Descriptions of the tools that stand for others, answers to ``load_toolkit``, and refusals.

    Attributes:
        error: begins every refusal.
        load_toolkit: what the tool that loads toolkits is for; the toolkits follow, a line each.
        toolkit: its argument.
        toolkit_line: one toolkit.
        loaded: answers the tool; the tools that came follow, a line each.
        loaded_before: the same where the toolkit was loaded already.
        tool_line: one tool or action, with its arguments.
        plain_tool_line: the same for one without a description.
        tools_more: in place of lines that did not fit.
        no_toolkit: the call names none.
        unknown_toolkit: the call names one that is not there.
        no_room: the toolkit's tools would fill the window.
        namespace: description of a namespace; its actions follow, a line each.
        action: the argument that says which.
        only_for: of an argument that only some actions take.
        only_for_plain: the same for one without a description.
        unknown_tool: no tool has the name.
        similar: names like it.
        others: all names that there are.
        some_others: the first of them.
        not_selected: the tool is registered and not offered now.
        not_loaded: the tool is in a toolkit that is not loaded.
        in_namespace: the tool is an action of a namespace.
        blocked, blocked_why: the tool is blocked; the same with the caller's reason.
        bad_json, no_object: the arguments are no JSON, or no object.
        missing, unexpected: arguments lack or have too much.
        no_action, unknown_action: a call of a namespace that does not say which action, or one that is not there.
    """

    error: str
    load_toolkit: str
    toolkit: str
    toolkit_line: str
    loaded: str
    loaded_before: str
    tool_line: str
    plain_tool_line: str
    tools_more: str
    no_toolkit: str
    unknown_toolkit: str
    no_room: str
    namespace: str
    action: str
    only_for: str
    only_for_plain: str
    unknown_tool: str
    similar: str
    others: str
    some_others: str
    not_selected: str
    not_loaded: str
    in_namespace: str
    blocked: str
    blocked_why: str
    bad_json: str
    no_object: str
    missing: str
    unexpected: str
    no_action: str
    unknown_action: str

    def refusal(self, template: str, **values: object) -> str:
        """A refusal, as the result of a call."""
        return self.error.format(what=template.format(**values))

    def is_refusal(self, text: str) -> bool:
        """Whether the result of a call is one of these."""
        before, _, after = self.error.partition("{what}")
        return bool(before or after) and text.startswith(before.rstrip()) and text.endswith(after.lstrip())

    def line(self, signature: str, description: str) -> str:
        """A tool or an action, with its arguments."""
        template = self.tool_line if description else self.plain_tool_line
        return template.format(signature=signature, description=description)

    def argument_for(self, actions: str, description: str) -> str:
        """The description of an argument that only some actions take."""
        template = self.only_for if description else self.only_for_plain
        return template.format(actions=actions, description=description)
