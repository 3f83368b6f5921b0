"""English. See ``vocabulary.serving``."""

from __future__ import annotations

from ...serving import ServingWords

__all__ = ["SERVING"]

SERVING = ServingWords(
    title="Transom",
    paths="Relative paths are taken from the working directory; nothing outside the allowed folders can be reached.",
    long_answers="A long answer is shortened and ends with a context:// address: the context tool reads the rest.",
    long_answers_found=(
        "A long answer is shortened and ends with a context:// address: the tool context, called with execute_tool, reads the "
        "rest."
    ),
    refusals="A refusal says what to do instead.",
    more_tools="More tools than are listed: explore_tools finds them, execute_tool calls them.",
    agree="Go ahead",
    agree_help="Whether this may be done.",
    template_title="What left the window",
    template_help="Texts, archives and notes that were stored, byte for byte, under the address that a shortened text names.",
    read_back_title="Read something back",
    read_back_help="Put something that was stored back into the conversation.",
    read_back_uri="Its address: context://namespace/path",
    read_back_opening="This is what is stored under {uri}:",
    skill_arguments="What the skill is to be used for.",
)
