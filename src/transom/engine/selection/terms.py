"""Words of tools and of questions about tools, in the form in which they are compared.

Knows English spelling and which everyday words stand for which others in talk about computers; no tool. Names are split where
people and generators join words (``read_file``, ``readFile``, ``HTTPServer``), and endings are taken off lightly. Words of
other languages are compared as they are written, Chinese and Japanese by pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

__all__ = ["NEAR", "question_terms", "related", "terms"]

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
# Begins where nothing of a path stands before it, so that each path is read once; or behind the letter of a drive.
_FILE = re.compile(r"(?:(?<![\w:/.~\\-])|(?<=:)(?=[~\\]))[\w~./\\-]*[\w-]\.([A-Za-z]\w{0,4})(?![\w.])")
_ADDRESS = re.compile(r"\bhttps?://\S+")
_VOWEL = re.compile("[aeiouy]")

_SAY_NOTHING = frozenset(
    """a about actually all also am an and any anyhow anything are as at be been bit but by called can could did do does doing
for from had happen has have he her here him his how however i if in into is it its just know let like lot may me might
mine must my need now of off on one only or our ours please really shall she should so some somebody something somewhere
such tell than that the their them then there these they thing this those to too two us want was we were what when where
whether which who whom whose why will wish with without would yes you your yours""".split()  # noqa: SIM905
)

_IRREGULAR = dict(
    pair.split(":")
    for pair in """began:begin begun:begin bought:buy brought:bring built:build came:come chose:choose chosen:choose done:do
drawn:draw drew:draw forgot:forget forgotten:forget found:find gave:give given:give gone:go got:get kept:keep knew:know
known:know left:leave lost:lose made:make ran:run said:say sent:send shown:show spoke:speak spoken:speak stood:stand taken:take
thought:think threw:throw thrown:throw told:tell took:take went:go written:write wrote:write seen:see saw:see indices:index
indexes:index children:child people:person""".split()  # noqa: SIM905
)

NEAR = 0.5
"""What a word counts that may be meant by another."""

_SAME = """
directory folder dir
delete remove erase
image picture photo photograph
copy duplicate
replace substitute swap
internet web
website site webpage
mail email
diff difference
database db
docx doc
ppt pptx powerpoint
excel xlsx spreadsheet
environment env
github gh
uppercase capital
cpu processor
popup notification
checksum hash
move relocate
"""

_NEAR = """
delete wipe discard drop trash clear clean
create make new generate build write
add append insert put
change modify edit update alter replace
rename move
search find look locate lookup seek
list show display view see overview
show read view open
read open load
run execute start launch
stop cancel kill end abort terminate close
internet web online
page website article
url link address page
compare diff different differ
history log past
save store keep record write
remember memory memorize recall
summary summarize condense shorten
check verify validate test
error bug failure fault problem issue
job task process
process program application
database sql sqlite
word docx
spreadsheet sheet table
presentation slide powerpoint
chart graph plot diagram draw
zip archive compress pack
restore recover revert undo rollback back
secret password credential key token
machine computer host system
notification alert notify
terminal shell console command
package library dependency module
source code program
push upload publish
send post submit
download fetch retrieve get
click press tap
size large big huge long wide tall width height dimension
question ask query answer
reply response answer
convert transform turn translate
plan step todo
session conversation chat
earlier previous before yesterday
load busy usage
wikipedia encyclopedia
screen desktop monitor
picture screenshot
screen screenshot
meaning semantic
similar resemble alike
author person
text word
name term
component widget ui interface
variable env
piece part chunk
"""

# What people say of a thing, and what tools for it are called: said before the >, found behind it, not the other way round.
_EVERYDAY = """
rain rainy snow snowy sunny sunshine storm wind windy umbrella cloudy frost outside > weather forecast
cold warm degrees > weather temperature
dollar euro pound yen franc cents > currency exchange price money rate
cost costs expensive cheap pay paid bill owe > price payment cost invoice billing charge
buy purchase basket > order cart checkout purchase shop
bank salary wire > transfer payment account bank transaction money
refund > return payment order
meeting appointment dentist birthday lunch dinner > calendar event schedule meeting appointment availability
remind reminder wake snooze > reminder alarm schedule task notification
minutes seconds countdown egg > timer time
clock hour hours timezone tomorrow > time date clock calendar timezone
drive walk far route way nearest nearby traffic > route directions distance map location places navigation
street city town country restaurant cafe hotel > place location map address search booking
flight fly plane train trip travel journey vacation holiday > flight travel booking trip ticket airport train
night stay hotel > booking reservation hotel restaurant
parcel package shipment delivery deliver > tracking shipping order delivery
ring phone dial > call message sms phone contact
inform > send message email notification
inbox letter reply > email message mail
friend colleague customer client boss > contact user person customer
song band album > music play track playlist audio
film movie watch episode > video play movie stream
loud quiet louder quieter > volume sound
lamp light dark bright dim > light lights brightness
heating heat heater cool > thermostat temperature climate heating
door lock > lock door
sick pill doctor ill medicine > health medical medication appointment
jog exercise workout gym > fitness activity workout health
cook meal hungry eat recipe ingredients > recipe food restaurant nutrition
calories weight > nutrition health calorie
headline headlines happening newspaper > news article
stocks share shares market > stock quote price market
sum plus minus times divide multiply percent percentage average total > calculate calculator math compute sum
miles kilometres kilometers kilos pounds inches celsius fahrenheit > convert unit units conversion
dice coin luck > random
spell spelling grammar typo > spellcheck grammar correct
french german spanish english language languages > translate translation language
slow fast speed > performance benchmark profile monitor latency
broken crash hang > error log debug health status diagnose
alive reachable > status health ping monitor
login > auth authenticate session
staff employee > employee user people
ticket complaint > issue ticket
"""


_QUESTIONS = """
?where find search
?who author
?when date time
?many count number
"""


def terms(text: str) -> dict[str, list[str]]:
    """The words of a text by the form in which they are compared, each as often as it stands there; some say nothing."""
    found: dict[str, list[str]] = {}
    for part in _PARTS.findall(_folded(text)):
        word = part.lower()
        if word in _SAY_NOTHING or (len(word) == 1 and word.isascii() and not word.isdigit()):
            continue
        if _WIDE.search(word) and len(word) > 1:
            for at in range(len(word) - 1):
                found.setdefault(word[at : at + 2], []).append(word[at : at + 2])
        else:
            found.setdefault(_term(word), []).append(word)
    return found


def question_terms(text: str) -> dict[str, list[str]]:
    """As ``terms``, of a question. What a file or an address in it is called says nothing; that it is one does, and
    so do some of the words that a question begins with.
    """
    spelled = _ADDRESS.sub(" url ", _FILE.sub(r" file \1 ", text))
    asked = [f"?{word}" for word in re.findall(r"\b(?:where|who|when)\b|(?<=\bhow )many\b", spelled.lower())]
    return {**terms(spelled), **{word: [word[1:]] for word in asked}}


def related(term: str) -> tuple[str, ...]:
    """What else may be meant by a term, in the form ``terms`` gives; it counts ``NEAR`` as much."""
    return _related().get(term, ())


def _folded(text: str) -> str:
    """Without accents: ``É`` is written ``E`` as often as not."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


@cache
def _related() -> Mapping[str, tuple[str, ...]]:
    table: dict[str, dict[str, None]] = {}
    for line in _NEAR.strip().splitlines():
        group = [_term(word) for word in line.split()]
        for word in group:
            table.setdefault(word, {}).update((other, None) for other in group if other != word)
    for line in _EVERYDAY.strip().splitlines():
        said, _, called = line.partition(" > ")
        for word in map(_term, said.split()):
            table.setdefault(word, {}).update((other, None) for other in map(_term, called.split()) if other != word)
    for line in _QUESTIONS.strip().splitlines():
        asked, *meant = line.split()
        table[asked] = dict.fromkeys(map(_term, meant))
    return {word: tuple(others) for word, others in table.items()}


@cache
def _one_for_all() -> Mapping[str, str]:
    groups = ([_stem(word) for word in line.split()] for line in _SAME.strip().splitlines())
    return {word: group[0] for group in groups for word in group}


@cache
def _term(word: str) -> str:
    stem = _stem(word)
    return _one_for_all().get(stem, stem)


def _stem(word: str) -> str:
    """A word without its ending: as much as makes ``searches``, ``searched`` and ``searching`` one word, and no more."""
    word = _IRREGULAR.get(word, word)
    if len(word) < 4 or not word.isascii():
        return word
    word = _singular(word)
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and _VOWEL.search(rest):
            if rest.endswith("i"):
                rest = rest[:-1] + "y"
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
