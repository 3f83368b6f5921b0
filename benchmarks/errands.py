"""Working sessions of a user with an assistant, and questions about what was said in them: made from a seed.

Each session tells a few dozen things once, by the user, by the assistant or in what a tool gave, among hundreds of messages of
ordinary work; later it is asked for them. A question names the matter in words of its own, an order wants the thing used, a
loose one has a single word in common with what was said. The value asked for is never in the question.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from transom import Call, Message, Result, Text

__all__ = ["ORDINARY", "Errand", "Question", "errands"]

_WORK = 160
"""Exchanges of ordinary work in a session."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, how, and the text that answers it."""

    text: str
    kind: str
    answer: str


@dataclass(frozen=True, slots=True)
class Errand:
    """A session and what is asked at its end."""

    messages: tuple[Message, ...]
    questions: tuple[Question, ...]


# Who tells it; what is said, with {v} for one of the values; the plain question, the order, the loose question.
_TOLD = r"""
user
The staging database listens on port {v}.
6543;7711;5490
Which port does the staging database use?
Write the connection string for the staging database.
How do I reach the database we test against?

user
Our customer number at the hosting company is {v}.
K-44871;K-90233;K-17754
What is our customer number at the hosting company?
Draft a letter to the hosting company with our customer number.
Under which number does the hoster know us?

user
The release is planned for {v}.
the ninth of May;Thursday in two weeks;the end of June
When is the release planned?
Put the planned release into the calendar entry.
What was the day of the release again?

user
Please never touch the folder {v}, it belongs to the auditors.
legacy/tax;exports/2019;vault/keys
Which folder belongs to the auditors?
List the folders of the auditors that we leave alone.
What was I asked not to touch because of the auditors?

user
My colleague who approves invoices is {v}.
Henrike Moll;Samir Odeh;Lotte Vang
Who approves invoices?
Write a note to the colleague who approves invoices.
Whom do I send an invoice to?

user
The budget for the trade fair is {v}.
12,400 euros;9,150 euros;21,000 euros
What is the budget for the trade fair?
Make a table of the trade fair budget.
How much may the fair cost?

user
The printer on the second floor is called {v}.
mistral;boreas;zephyr
What is the printer on the second floor called?
Set up the printer of the second floor.
What name has the printer upstairs?

user
We settled on {v} for the colour of the header.
#1d4e89;#b5651d;#2e8b57
Which colour did we settle on for the header?
Style the header in the colour we settled on.
What colour was it for the top, the header I mean?

user
The contract with the caterer ends on {v}.
31 August;15 October;1 December
When does the contract with the caterer end?
Cancel the contract with the caterer in time.
Until when do we have the caterer?

user
The alarm code of the warehouse is {v}.
4471 star;9902 hash;3158 star
What is the alarm code of the warehouse?
Write the alarm code of the warehouse on the handover sheet.
How do I switch off the alarm?

user
For the newsletter we want {v} as a subject.
Seven quiet weekends;A garden in a box;Letters from the coast
What subject do we want for the newsletter?
Send the newsletter with the subject we want.
What was the newsletter to be titled?

user
My flight to Lisbon leaves at {v}.
6:40;14:55;21:05
When does my flight to Lisbon leave?
Book a taxi for my flight to Lisbon.
At what time do I have to fly to Lisbon?

assistant
The failing test is {v}; it reads the clock.
test_rollover_at_midnight;test_expiry_boundary;test_weekly_digest
Which test is failing because it reads the clock?
Fix the failing test that reads the clock.
What was wrong with the clock, which test was that?

assistant
The memory leak sits in {v}, where listeners are never removed.
SessionPool;FrameCache;WatchTree
Where does the memory leak sit?
Mend the memory leak you found.
What was leaking memory?

assistant
I measured the import: it takes {v} on your machine.
41 seconds;3.7 minutes;88 seconds
How long does the import take on my machine?
Put the measured import time into the report.
What did you measure for the import?

assistant
The library for barcodes that suits us best is {v}.
zebrakit;linecode;stripepy
Which library for barcodes suits us best?
Add the barcode library to the requirements.
What did you recommend for barcodes?

assistant
The slow query is the one that joins orders with {v}.
shipments;vouchers;returns
Which table does the slow query join with orders?
Rewrite the slow query.
Why was the query slow?

assistant
Your backup script fails since {v}.
the share was renamed to nas-two;the disk is mounted read-only;cron runs as nobody
Why does the backup script fail?
Repair the backup script.
What is the matter with the backups?

assistant
The licence of the font allows {v}.
print but no embedding;two seats and no web use;web use up to ten thousand views
What does the licence of the font allow?
Write down what the font licence allows.
May we put the font on the site?

assistant
The oldest supplier in your list is {v}.
Brandt and Sons;the Hallberg mill;Ostrava Glass
Who is the oldest supplier in the list?
Write a thank-you card to the oldest supplier.
Which supplier has been with us longest?

assistant
The regular expression that worked for article numbers is {v}.
^[A-Z]{2}-\\d{5}$;^\\d{3}[XY]\\d+$;^AR\\d{4}[a-f]$
Which regular expression worked for article numbers?
Use the regular expression for article numbers in the form.
How do we match article numbers?

assistant
For the roof terrace the cheapest offer came from {v}.
Dachwerk Nord;Miller Timber;the Lopez brothers
From whom came the cheapest offer for the roof terrace?
Answer the cheapest offer for the roof terrace.
Who was cheapest for the terrace?

assistant
The parser breaks on files with {v}.
a byte order mark;nested quotes;carriage returns
On which files does the parser break?
Write a test for the files on which the parser breaks.
What does the parser not like?

assistant
The invoice that is still open is number {v}.
2024-0817;2024-1139;2023-2260
Which invoice is still open?
Send a reminder for the open invoice.
What have they not paid, which invoice?

tool
checked certificate for shop.example: expires {v}
2025-02-11;2025-07-30;2026-01-04
When does the certificate of the shop expire?
Renew the certificate of the shop in time.
How long is the certificate good for?

tool
disk usage of /srv/media: {v}
87%;93%;78%
How full is the disk with the media?
Write to the admin about the disk usage of media.
What did the disk usage look like?

tool
nightly job report: {v} records were skipped
1,204;317;5,880
How many records were skipped by the nightly job?
Explain the skipped records of the nightly job.
What did the nightly run leave out?

tool
latency of the login page, p95: {v}
840 ms;1.9 s;415 ms
What is the p95 latency of the login page?
Open a ticket about the latency of the login page.
How slow is it to login?

tool
branches without a merge: {v}
feature/cart-notes;fix/tax-rounding;spike/offline
Which branches are without a merge?
Delete the branches without a merge.
Which branch did we forget to merge?

tool
package audit: {v} has a known vulnerability
leftquill 2.1;yamlish 0.9;httpkit 3.0.1
Which package has a known vulnerability?
Upgrade the package with the known vulnerability.
What did the audit complain about?

tool
sensor cellar-3 reports humidity {v}
71 percent;64 percent;82 percent
What humidity does the sensor in the cellar report?
Log the humidity of the cellar sensor.
How damp is the cellar?

tool
oldest message in the queue: {v}
14 hours;3 days;52 minutes
How old is the oldest message in the queue?
Alert somebody about the oldest message in the queue.
How far behind is the queue?
"""

_ASKED = """Rename the helper that formats prices.|Write a docstring for the class that draws charts.
Sort the imports in the billing module.|Make the error text friendlier.
Translate the paragraph about delivery into French.|Add a column for the country to the export.
Move the constants into a module of their own.|Shorten the introduction of the manual.|Write a unit test for the discount rule.
Convert the loop into a comprehension.|Explain what the decorator does.|Draw up an agenda for Monday.
Check the grammar of the announcement.|Suggest three titles for the talk.|Add logging to the upload.
Format the address list.|Turn the notes into bullet points.|Split the long function in two."""

_DONE = """Done. The change touches two places and nothing else depends on them.
I have done that; the diff is small and easy to read.
Finished. I kept the style of the code around it.|Here is a first version, tell me where it should be different.
That is done, and the checks pass.|Ready. I left the behaviour as it was.
I did it and removed a line that was not needed any more.
All set; it reads better now, I think."""

_SEEN = """def render(row): return ", ".join(str(cell) for cell in row)|ok 18 passed in 2.41s|no differences found
3 files changed, 41 insertions(+), 12 deletions(-)|-rw-r--r-- 1 me me 2048 draft.md|formatted 2 files, 9 left unchanged"""

ORDINARY = tuple(part for line in _ASKED.splitlines() for part in line.split("|"))
"""Orders of the kind that fill the sessions: none of them refers to what was said before."""


def errands(seed: int, *, count: int = 4, told: int = 24) -> list[Errand]:
    """Sessions of working life.

    Args:
        seed: decides everything.
        count: how many sessions.
        told: how many things each of them tells.
    """
    chance = random.Random(seed)
    facets = [block.splitlines() for block in _TOLD.strip().split("\n\n")]
    return [_errand(chance, chance.sample(facets, told)) for _ in range(count)]


def _errand(chance: random.Random, facets: Sequence[Sequence[str]]) -> Errand:
    exchanges = [_ordinary(chance, number) for number in range(_WORK)]
    questions: list[Question] = []
    for number, (who, said, values, plain, order, loose) in enumerate(facets):
        text = said.replace("{v}", chance.choice(values.split(";")))
        exchanges.insert(chance.randrange(len(exchanges) + 1), _telling(who, text, number))
        questions += [Question(asked, kind, text) for asked, kind in ((plain, "plain"), (order, "order"), (loose, "loose"))]
    return Errand(tuple(message for exchange in exchanges for message in exchange), tuple(questions))


def _telling(who: str, text: str, number: int) -> list[Message]:
    match who:
        case "user":
            return [Message("user", f"{text} Keep that in mind."), Message("assistant", "Noted.")]
        case "assistant":
            return [Message("user", "Have a look at that for me, please."), Message("assistant", text)]
        case _:
            call = Call("run", '{"command": "status"}', f"t{number}")
            answer = Result((Text(f"status\n{text}\nend of status"),), call_id=call.id, name="run")
            return [
                Message("user", "Run the usual look around."),
                Message("assistant", [call]),
                Message("tool", [answer]),
                Message("assistant", "I have run it."),
            ]


def _ordinary(chance: random.Random, number: int) -> list[Message]:
    asked, done, seen = (chance.choice(_lines(text)) for text in (_ASKED, _DONE, _SEEN))
    messages = [Message("user", asked)]
    if chance.random() < 0.5:
        call = Call("run", f'{{"command": "step {number}"}}', f"c{number}")
        messages += [Message("assistant", [call]), Message("tool", [Result((Text(seen),), call_id=call.id, name="run")])]
    return [*messages, Message("assistant", done)]


def _lines(text: str) -> list[str]:
    return [part for line in text.splitlines() for part in line.split("|")]
