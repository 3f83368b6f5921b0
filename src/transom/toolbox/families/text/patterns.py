"""What can be found in a text without a pattern of one's own: how each looks, and which of what looks so is one.

Every pattern begins only where a token can begin and takes what it takes for good, so that no text makes a search go over
anything twice.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping

__all__ = ["FINDERS"]

_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}+@(?:[^\W_][\w-]{0,62}+\.){1,8}[^\W\d_]{2,24}+(?![\w@])")
_URL = re.compile(r"(?<!\w)(?:https?|ftp|wss?)://[^\s<>\"'`{}|\\^]{1,2000}+", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.,])[-+]?(?:\d{1,3}(?:[,_']\d{3})++|\d++)(?:\.\d++)?(?:[eE][-+]?\d++)?+%?+(?![\w]|[.,]\d)")
_MONTHS = "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|"
_MONTHS += "Nov(?:ember)?|Dec(?:ember)?"
_DATE = re.compile(
    r"(?<![\w/.-])(?:"
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9}+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
    r"|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})"
    rf"|\d{{1,2}}\.? (?:{_MONTHS})\.? \d{{4}}"
    rf"|(?:{_MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    r")(?![\w/]|[.-]\d)",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![\w.+/-])(?:\+|00)?\(?\d(?:[ ().\-/]{0,2}\d){6,14}+(?![\w-])")
_ADDRESS_TOKEN = re.compile(r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|(?=[0-9a-fA-F]*:)[0-9a-fA-F:]{2,39}+)(?![\w:]|\.\d)")
_UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_HASHTAG = re.compile(r"(?<![\w#&/])#(?=\w{0,99}[^\W\d_])\w{1,100}+")
_MENTION = re.compile(r"(?<![\w@.+-])@\w[\w-]{0,60}+(?:\.\w[\w-]{0,60}+){0,3}+")
_COLOR = re.compile(r"(?<![\w#&])#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})(?!\w)")
_PATH = re.compile(
    r"(?<![\w./\\~:@+-])(?:[A-Za-z]:[\\/]|~/|\.{1,2}/|/)?[\w.@+-]{1,255}+(?:[/\\][\w.@+-]{1,255}+){1,64}+|"
    r"(?<![\w./\\~:@+-])(?:~/|\.{1,2}/|/)[\w.@+-]{1,255}+"
)
_QUOTED = re.compile(r"\"([^\"\n]{1,1000}+)\"|“([^”\n]{1,1000}+)”|„([^“”\n]{1,1000}+)[“”]|«([^»\n]{1,1000}+)»")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t][^\n]*+", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500}+)\]\(\s{0,8}+<?([^\s<>()]{1,2000}+)>?(?:\s{1,8}+\"[^\"\n]{0,300}+\")?\s{0,8}+\)")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$")


def _all(pattern: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    return lambda text: (match.group() for match in pattern.finditer(text))


def _urls(text: str) -> Iterator[str]:
    for match in _URL.finditer(text):
        url = match.group()
        while url and (
            url[-1] in ".,;:!?*_~" or (url[-1] in ")]" and url.count(url[-1]) > url.count("(["[")]".index(url[-1])]))
        ):
            url = url[:-1]
        yield url


def _addresses(text: str) -> Iterator[str]:
    for match in _ADDRESS_TOKEN.finditer(text):
        try:
            ipaddress.ip_address(match.group())
        except ValueError:
            continue
        yield match.group()


def _phones(text: str) -> Iterator[str]:
    for match in _PHONE.finditer(text):
        found = match.group()
        if _DATE.fullmatch(found) is None and (not found.isdecimal() or len(found) >= 9):
            yield found.strip()


def _quotes(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        yield next(group for group in match.groups() if group is not None)


def _links(text: str) -> Iterator[str]:
    for match in _LINK.finditer(text):
        yield f"{match[1]}: {match[2]}" if match[1] else match[2]


def _paths(text: str) -> Iterator[str]:
    for match in _PATH.finditer(text):
        path = match.group().rstrip(".")
        # Dates, fractions and choices (and/or) look like paths that lead nowhere.
        if any(char.isalpha() for char in path) and (path[0] in "/.~" or "." in path or path.count("/") > 1 or "\\" in path):
            yield path


def _blocks(text: str) -> Iterator[str]:
    """Fenced code. A block that is never closed goes to the end, as it does in Markdown."""
    fence = ""
    inside: list[str] = []
    for line in text.split("\n"):
        found = _FENCE.match(line.rstrip("\r"))
        if not fence:
            if found and not (found[1][0] == "`" and "`" in found[2]):
                fence, inside = found[1], []
        elif found and found[1].startswith(fence) and not found[2].strip():
            yield "\n".join(inside)
            fence = ""
        else:
            inside.append(line)
    if fence and inside:
        yield "\n".join(inside)


FINDERS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "emails": _all(_EMAIL),
    "urls": _urls,
    "numbers": _all(_NUMBER),
    "dates": _all(_DATE),
    "phone_numbers": _phones,
    "ip_addresses": _addresses,
    "uuids": _all(_UUID),
    "hashtags": _all(_HASHTAG),
    "mentions": _all(_MENTION),
    "colors": _all(_COLOR),
    "paths": _paths,
    "quoted": _quotes,
    "headings": _all(_HEADING),
    "links": _links,
    "code_blocks": _blocks,
}
"""What finds each kind, in the order of the text."""
