"""Changes the words a model reads: one sentence, a mark and the titles of digests."""

from dataclasses import replace

from transom import Context, Message, chain, digest, reset
from transom.errors import InputError
from transom.vocabulary import ENGLISH

FRENCH = replace(
    ENGLISH,
    locale="fr",
    reset="Les {messages} messages avant ce point ({window}) ont été mis de côté sans résumé. Ils sont gardés ici : {archive}",
    gap="{what} : {hidden} octets sur {whole} ne sont pas montrés. Texte entier : {uri}",
    digesting=replace(
        ENGLISH.digesting,
        mark="# Résumé de la conversation précédente :",
        title="{messages:,} messages de la fenêtre {window}",
        many_before=" et {before:,} des {windows:,} fenêtres d'avant",
        title_task="Tâche",
        title_requests="Demandes",
        user="utilisateur",
    ),
)

ctx = Context(window=8_000, overflow=chain(digest(), reset()), vocabulary=FRENCH)
ctx.append(Message("user", "Range les quarante parties, sans toucher à la table factures_2019."))
for part in range(1, 41):
    ctx.append(Message("assistant", f"La partie {part} est rangée. " + "Voici ce que j'y ai vu. " * 60))
    ctx.append(Message("user", f"Passe à la partie {part + 1}."))
    payload = ctx.compile_sync("openai")
head = payload.body["messages"][0]["content"]
print(head.split("\n")[0])
assert head.startswith("# Résumé de la conversation précédente : ")
assert "## Tâche\n- w1:1 utilisateur > Range les quarante parties" in head
ctx.close()

# What could not be used is refused at once.
try:
    Context(window=8_000, vocabulary=replace(ENGLISH, gap="{what} manque"))
except InputError as error:
    print(error)
