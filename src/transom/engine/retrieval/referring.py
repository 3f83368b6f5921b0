"""What a message may refer to: the words of it that name something, and whether it asks or points back.

Knows text, nothing else. Code, logs and quotations are no part of what a user asks; thanks, greetings and orders to go on name
nothing. The words are those of five languages; in any other the rarity of a word has to say what it is worth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ...store.fulltext import Query, Term, fold, parse_query

__all__ = ["Reference", "reference_of"]

_LONGEST = 700
"""Characters of prose up to which all of it is looked for; of a longer message only the sentences that ask or point back."""
_MOST_TERMS = 24
_FENCE = re.compile(r"(`{3,}|~{3,}).*?(?:\1|\Z)", re.DOTALL)
_MARKS = frozenset('{}[]();=<>|\\$#*^~&%_/+@"`')
_MANY_MARKS = 0.16
_CODE_LINE = re.compile(
    r"^\s*(?:at |File \"|Traceback|def |class |import |from \S+ import|return\b|#include|//|\$ |>>> |\+\+\+ |--- |@@ "
    r"|[{}\])]+[;,]?\s*$"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|(?:ERROR|WARN|WARNING|INFO|DEBUG)\b|\w+\.\w+\(.*\)\s*;?\s*$)"
)
_QUOTED_LINE = re.compile(r"^\s*>")
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.](?=\S)[^.!?。！？\n]*)*(?:[.!?。！？]+|\n|$)")
_WORD = re.compile(r"[^\W_]+")
_IDENTIFIER = re.compile(r"\d|\w[_./:-]\w|[^\W\d_][a-z]+[A-Z]")
_SHARED_PAST = re.compile(r"\b(?:did|have|had|was|were) (?:I|you|we|it|the|our)\b|\b(?:our|we)\b", re.IGNORECASE)
_ASKS = re.compile(r"[?？؟]")

# Words that ask, at the beginning of a sentence or of a part of it.
_ASKING = """what which who whom whose when where why how
was welche welcher welches wer wem wen wann wo wohin woher warum wieso wie
que quoi quel quelle quels quelles qui quand où pourquoi comment combien
qué cuál cuáles quién quiénes cuándo dónde cómo cuánto cuánta"""
# Words that begin an order though everybody says them all the time.
_ORDERING = "use put make take give show tell try keep start call get see"
# Words that point back to what was said.
_BACK = """remember recall remind earlier before previously again agreed decided mentioned told said discussed ago last
originally erinnerst erinnere vorhin früher vorher nochmal wieder vereinbart beschlossen erwähnt gesagt besprochen
damals ursprünglich rappelle souviens tantôt auparavant encore convenu décidé mentionné dit discuté avant recuerda
recuerdas antes acordamos decidimos mencionado dijiste dije hablamos otra"""
# What every conversation is full of, and orders to go on, which name nothing.
_COMMON = """a an the this that these those it its it's he him his she her hers they them their theirs we us our ours you your
yours i me my mine myself yourself one ones someone somebody something anything everything nothing anyone nobody be is
are was were been being am do does did done doing have has had having can could will would shall should may might must
not no nor yes yeah yep ok okay sure fine right well so too very just also only even still yet already ever never
always often and or but if then than as of at by for with about into onto over under from to in on off up down out
through between after before again once here there now today tonight tomorrow yesterday soon later all any both each
every few more most less much many other others another some such same own what which who whom whose when where why
how because while until since during please thanks thank thx ty hi hello hey bye goodbye morning evening night
afternoon sorry welcome great good nice cool awesome perfect lovely wonderful amazing haha lol wow oh ah hmm um uh
well fun funny happy glad bad better best really quite pretty actually maybe perhaps probably anyway like want need
wanted needed let let's lets go going gone went come came coming get got getting gets make made makes making take took
taken give gave given see saw seen look looks looking know knew known think thought thinks say says said tell told
telling ask asked asking talk talked speak mean means meant feel felt feels sound sounds seem seems try tried trying
use used using put keep kept show showed shown call called start started stop stopped continue continued proceed next
previous last first second new old thing things stuff way ways lot lots bit kind sort time times day days week weeks
weekend month months year years people person man woman guy work works worked working help helps helped life world
doesn't don't didn't isn't aren't wasn't weren't won't can't couldn't wouldn't shouldn't haven't hasn't hadn't i'm i'd
i'll i've you're you'd you'll you've he's she's we're we've we'll they're they've that's what's who's how's where's
there's it'll let's remember recall remind earlier previously agreed mentioned discussed ago originally long far big
small little idea ideas question questions answer answers again joke story everyone anybody hope hopes hoping guess
love loves loved hate enjoy enjoyed sleep slept eat ate drink tired hungry bored ein eine einen einem einer eines der
die das den dem des dies diese dieser dieses jener es er sie ihn ihm ihr ihre ihren ihrem wir uns unser unsere du dich
dir dein deine ich mich mir mein meine man sich ist sind war waren sein gewesen bin bist hat haben hatte hatten habe
hast wird werden wurde wurden kann können konnte soll sollen sollte muss müssen darf dürfen nicht kein keine ja nein
und oder aber wenn dann als wie von an bei für mit über in im auf aus zu zum zur nach vor unter durch zwischen seit
bis hier da dort jetzt heute morgen gestern noch schon auch nur sehr mehr viel bitte danke hallo gut gute guten super
toll was welche welcher welches wer wem wen wann wo warum wieso doch mal eben etwas nichts alles weiter mach machen
gemacht geht gehen los okay un une le la les l' du de des d' ce cet cette ces il elle ils elles on nous vous tu je me
te se moi toi lui leur leurs mon ma mes ton ta tes son sa ses notre nos votre vos est sont était étaient être été suis
es ai as a avons avez ont avait avoir fait faire peut peux pouvez pouvons doit dois ne pas plus non oui et ou mais si
que quoi quel quelle quels quelles qui quand où pourquoi comment combien dans sur sous avec sans pour par chez entre
depuis ici là maintenant aujourd'hui demain hier encore déjà aussi très bien merci bonjour salut s'il plaît continue
vas un una unos unas el lo los las al del este esta estos estas ese esa eso él ella ellos ellas nosotros usted ustedes
yo me te se mi mis tu tus su sus nuestro nuestra es son era eran ser sido estoy está están estaba he ha han había hay
hacer hecho puede puedo podemos debe no sí y o pero si que qué cuál cuáles quién cuándo dónde cómo cuánto en con sin
por para entre desde hasta aquí allí ahora hoy mañana ayer todavía ya también muy más gracias hola bueno buena bien
sigue continúa adelante"""


@dataclass(frozen=True, slots=True)
class Reference:
    """A message, as far as something may be looked up for it.

    Attributes:
        query: its words that name something, taken apart.
        names: those of them that are written like a name, a number or an identifier.
        asks: it asks for something.
        points_back: it points to what was said before.
        orders: the words that begin an order: what is to be done, not what it is about.
    """

    query: Query
    names: frozenset[str]
    asks: bool
    points_back: bool
    orders: frozenset[str] = frozenset()


def reference_of(text: str) -> Reference | None:
    """What a message of the user may refer to; ``None`` where it names nothing.

    Args:
        text: as it was written.
    """
    sentences = _prose(text)
    if sum(map(len, sentences)) > _LONGEST:
        sentences = [sentence for sentence in sentences if _asks(sentence) or _points(sentence)]
    prose = " ".join(sentences)
    if not prose or len(prose) > _LONGEST:
        return None
    query = parse_query(prose)
    common = _words(_COMMON)
    terms = tuple(_plain(term) for term in query.terms if not _is_common(term, common))[:_MOST_TERMS]
    if not terms:
        return None
    parts = tuple(part for part in query.parts if not _is_common(part, common))
    starting = {match.group() for sentence in sentences if (match := _WORD.search(sentence))}
    names = frozenset(term.text for term in terms if _is_name(term.text, starting))
    asks, points_back = any(map(_asks, sentences)), any(map(_points, sentences))
    orders = frozenset(word for sentence in sentences if (word := _order(sentence, common)))
    return Reference(Query(prose, terms, parts), names, asks, points_back, orders)


def _plain(term: Term) -> Term:
    """The term without its quotation marks: what a person quotes is no order to a search."""
    return Term(term.text, term.tokens, term.dense) if term.required else term


def _is_common(term: Term, common: frozenset[str]) -> bool:
    if term.dense:
        return False
    word = fold(term.text).replace("’", "'").strip("'")
    return word in common or all(fold(token) in common or len(token) < 2 for token in term.tokens)


def _is_name(text: str, starting: set[str]) -> bool:
    """Whether a word is written like a name; what begins a sentence has its capital from there."""
    if _IDENTIFIER.search(text):
        return True
    return text[:1].isupper() and text not in starting


def _prose(text: str) -> list[str]:
    """The sentences that a person wrote, without code, logs and quotations."""
    lines = [line for line in _FENCE.sub("\n", text).split("\n") if line.strip() and not _is_code(line)]
    found = (match.group().strip() for line in lines for match in _SENTENCE.finditer(line))
    return [sentence for sentence in found if sentence]


def _is_code(line: str) -> bool:
    stripped = line.strip()
    if _QUOTED_LINE.match(line) or _CODE_LINE.match(line):
        return True
    marks = sum(1 for char in stripped if char in _MARKS)
    indented = line.startswith(("    ", "\t"))
    return marks > len(stripped) * (_MANY_MARKS / 2 if indented else _MANY_MARKS)


def _asks(sentence: str) -> bool:
    if _ASKS.search(sentence[-8:]):
        return True
    first = fold(sentence).split(None, 1)
    return bool(first) and first[0].strip(",:'\"") in _words(_ASKING)


def _order(sentence: str, common: frozenset[str]) -> str:
    """The first word of a sentence that may be an order; empty where it begins like a statement or a question."""
    match = _WORD.search(sentence)
    if match is None or _asks(sentence):
        return ""
    word = match.group()
    return word if fold(word) not in common or fold(word) in _words(_ORDERING) else ""


def _points(sentence: str) -> bool:
    back = _words(_BACK)
    return _SHARED_PAST.search(sentence) is not None or any(word.strip(".,!?:;'\"") in back for word in fold(sentence).split())


@cache
def _words(listed: str) -> frozenset[str]:
    return frozenset(fold(listed).split())
