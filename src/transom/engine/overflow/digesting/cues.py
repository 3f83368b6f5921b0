"""The words that give a sentence away: constraints, decisions, findings and open ends, in ten languages.

Knows text, nothing else. Structure (checkboxes, exit codes, plans)
is looked for elsewhere and counts more; these words only
rank what people write in prose. Languages without spaces are matched by substring, the others at word boundaries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["CONSTRAINT", "DECISION", "OPEN", "STRONG", "Cue", "sentences"]


_OUTER = re.compile(r"\|(?![^()]*\))")


@dataclass(frozen=True, slots=True)
class Cue:
    """One kind of sentence.

    Attributes:
        words: a plain substring to look for, and the pattern that must match from there at the beginning of a word; ``None``
            where the substring alone decides.
        plain: those of them that ASCII text may hold.
    """

    words: tuple[tuple[str, re.Pattern[str] | None], ...]
    plain: tuple[tuple[str, re.Pattern[str] | None], ...] = ()

    def within(self, lowered: str) -> Cue:
        """The same cue, without the words that do not occur in a lower-cased text: quicker for its lines."""
        words = self.plain if lowered.isascii() else self.words
        return Cue(tuple(word for word in words if word[0] in lowered))

    def found(self, lowered: str) -> bool:
        """Whether the lower-cased text has the cue."""
        for stem, pattern in self.words:
            at = lowered.find(stem)
            while at >= 0:
                if pattern is None:
                    return True
                # Looking for the substring first is ten times as fast as one pattern of all words.
                if not (at and (lowered[at - 1].isalnum() or lowered[at - 1] == "_")) and pattern.match(lowered, at):
                    return True
                at = lowered.find(stem, at + 1)
        return False


def _cue(words: str, unspaced: str) -> Cue:
    """``words``: patterns separated by ``|``, matched as whole words; ``unspaced``: plain substrings."""
    spaced = [word.strip() for word in _OUTER.split(words) if word.strip()]
    spaced = [word.replace("['’]", mark) for word in spaced for mark in ("'", "’")[: 1 + ("['’]" in word)]]
    found = [(_stem(word), re.compile(f"(?:{word})(?!\\w)")) for word in spaced]
    plain = tuple((stem, pattern) for stem, pattern in found if pattern.pattern.isascii())
    return Cue((*found, *((word, None) for word in unspaced.split())), plain)


def _stem(word: str) -> str:
    """What every match of the pattern begins with."""
    stem = re.split(r"[\\(\[?]", word)[0]
    return stem[:-1] if word[len(stem) :].startswith("?") else stem.rstrip()


# Sentences that bind whoever continues: these leave no choice …
STRONG = _cue(
    """must(?: not|n['’]t)?|never|always|do not|don['’]t|only|forbidden|not allowed|may not|cannot use|can['’]t use|shall
    |no more than|at least|at most|make sure|ensure that|under no circumstances|not touch
    |muss|müssen|musst|darf|dürfen|niemals|nie|immer|nur|kein|keine|keinen|keinesfalls|auf keinen fall|stets
    |mindestens|höchstens|unbedingt|verboten|bitte nicht
    |doit|doivent|dois|jamais|toujours|uniquement|seulement|il faut|ne pas|ne touche|ne modifie|ne supprime|ne change
    |n['’]utilise|interdit
    |au moins|au plus|obligatoire
    |debe|deben|debes|nunca|siempre|solo|sólo|solamente|únicamente|hay que|prohibido|al menos|como máximo|no usar|no uses
    |deve|devem|sempre|apenas|somente|mai|soltanto|non usare|obbligatorio
    |нельзя|всегда|никогда|только|должен|должна|должны|обязательно""",
    """必须 必須 不要 不能 不得 禁止 只能 仅限 仅在 务必 務必 一定要 始终 从不 绝不 至少 最多 不许 不可以 不允许 请勿 别动
    必ず しないで ないでください いけない ならない 絶対 のみ だけに べき ないこと 厳守 以外は 変更しない 使わない
    반드시 금지 하지 마 항상 절대""",
)
# … and these wish.
CONSTRAINT = _cue(
    """should(?: not|n['’]t)?|prefer|avoid|needs? to|have to|has to|limit|deadline|budget|by default|rather than
    |without|instead of
    |exactly|keep|required?|requirements?
    |soll|sollen|sollte|lieber|grenze|frist|vermeiden|ohne|statt|genau|brauche|brauchen
    |devrait|faut|préfère|éviter|limite|délai|sans
    |debería|prefiero|evitar|límite|plazo|sin
    |следует|нужно""",
    """应该 應該 需要 希望 尽量 避免 优先 限制 截止 してください して下さい
    てほしい 必要 避け 優先 制限 期限 ように 해야 필요""",
)
DECISION = _cue(
    """decided|decision|decisions|we['’]ll use|let['’]s use|i['’]ll use|we will use|go with|going with|went with
    |settled on|chose|chosen|agreed
    |switch(?:ed|ing)? to|instead of|conclusion|concluded|the approach|root cause
    |caused by|the (?:real |actual )?(?:problem|issue|bug|cause) (?:is|was)
    |turns out|because of|found the|the fix is|the fix was|fixed by|confirmed|verified that|design choice|trade-?off
    |let['’]s (?:do|go|store|implement|keep|put|remove|skip)|we (?:decided|agreed|chose|keep|use)
    |entschieden|entscheidung|beschlossen|wir nehmen|wir verwenden|wir nutzen|stattdessen|ursache|das problem (?:ist|war)
    |der grund|festgelegt
    |décidé|décision|choisi|nous utiliserons|on utilise|nous utilisons|la cause|le problème (?:est|était|vient)|finalement
    |decidido|decidimos|decisión|usaremos|elegimos|elegido|optamos|la causa|el problema (?:es|era)
    |decisão|deciso|decidiu|решено|решили|причина""",
    """决定 決定 采用 採用 改用 选择 結論 结论 根本原因 原因是 原因は
    問題は 问题是 方針 することにし 決め 判明 定为 확정 결정 원인""",
)
OPEN = _cue(
    """todo|fixme|next steps?|remaining (?:work|tasks?|steps?|issues?|items?|problems?)|still needs?|still needed
    |still (?:to do|open|missing|fails?|failing)|left to do|not yet|follow-?up|pending|unfinished
    |not (?:done|finished|implemented)|what['’]s left|yet to|wip
    |noch offen|offen|als nächstes|nächste schritte|nächster schritt|ausstehend|muss noch|fehlt noch|zu erledigen
    |à faire|reste à|prochaines? étapes?|pas encore|en attente
    |pendientes?|por hacer|falta|próximos? pasos?|todavía no
    |pendente|próximo passo|da fare|осталось|дальше""",
    """待办 待辦 下一步 接下来 还需要 还没 尚未 未完成 剩下 残り 残タスク
    未完了 未対応 未実装 次の 今後 まだ これから 남은 다음""",
)

_SENTENCE = re.compile(r"[^.!?。！？]*(?:[.!?](?![\s\"')\]]|$)[^.!?。！？]*)*(?:[.!?。！？]+[\"')\]]*|$)")


def sentences(line: str) -> list[str]:
    """The sentences of one line, verbatim, without outer blanks. Dots inside words (``v1.2``, ``a.py``) end none."""
    return [found for match in _SENTENCE.finditer(line) if (found := match.group().strip())]
