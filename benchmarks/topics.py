"""What the people of ``conversations`` talk about: tables of our own, in two halves that share no topic.

A facet is one thing that can be told on a topic. Who asks uses the topic's own words; who tells does not, for that is how
people answer. ``plain`` questions use the words of the asking, ``inflected`` ones another form of a word of the telling,
``reworded`` ones words that neither used.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CHAT", "CLOSINGS", "HALVES", "OPENERS", "PROMPTS", "REACTIONS", "STALLS", "TAILS", "Facet"]


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing to tell.

    Attributes:
        topic: what it belongs to.
        asks: how the other one asks for it.
        leads: how the one who tells it comes to speak of it, without telling it.
        tells: the telling, with a place for the value.
        values: what may be told.
        plain, inflected, reworded: questions, with places for the name and the time.
    """

    topic: str
    asks: tuple[str, ...]
    leads: tuple[str, ...]
    tells: tuple[str, ...]
    values: tuple[str, ...]
    plain: tuple[str, ...]
    inflected: str
    reworded: str


def _parts(text: str) -> tuple[str, ...]:
    """Alternatives, parted by bars."""
    return tuple(part.strip() for part in text.split("|"))


def _facets(table: str) -> tuple[Facet, ...]:
    """Read a table: blocks parted by empty lines, fields by their first letter, alternatives by bars or in several lines."""
    found = []
    for block in table.strip().split("\n\n"):
        fields: dict[str, tuple[str, ...]] = {}
        for line in block.split("\n"):
            fields[line[0]] = fields.get(line[0], ()) + _parts(line[2:])
        (topic,), (inflected,), (reworded,) = fields["t"], fields["i"], fields["r"]
        found.append(Facet(topic, fields["a"], fields["l"], fields["s"], fields["v"], fields["q"], inflected, reworded))
    return tuple(found)


_FIRST = _facets("""
t pottery
a How was the pottery evening?|Did you make it to the pottery studio again?|Anything new from pottery?
l Pottery is what keeps me sane these days.|I was back at the pottery studio yesterday evening.
s The {v} came out of the kiln without a single crack.|I carried home a {v}, all glazed in blue.
v bowl|jug|teapot|vase|soup plate|candle holder
q What did {who} make at pottery{when}?|What came of {who}'s evening at the pottery studio{when}?
i What had {who} been glazing{when}?
r Which ceramic piece did {who} bring back{when}?

t pottery
a Is the pottery teacher still so strict?|Who runs your pottery group now?
l The pottery group has changed a lot.|There is news about our pottery teacher.
s {v} took over, and now everybody laughs the whole time.|It is {v} who shows us everything, with endless patience.
v an old sailor|a retired nurse|the owner's niece|a man from Lisbon|a former judge|twin sisters
q Who teaches {who}'s pottery group{when}?|Who is the pottery teacher of {who}{when}?
i Who has been showing {who} how it is done{when}?
r Who instructs the clay course that {who} attends{when}?

t running
a How is the marathon training going?|Did the marathon plan survive the week?
l Marathon training is eating all my weekends.|I am deep in the marathon plan.
s I managed {v} before breakfast and could still walk afterwards.|It was {v} along the canal, slowly, but without stopping.
v nine kilometres|twelve kilometres|fifteen kilometres|eighteen kilometres|half the distance|two hours
q How far did {who} get in the marathon training{when}?|What did {who} manage for the marathon{when}?
i How far was {who} able to go before having breakfasted{when}?
r What distance did {who} jog in preparation{when}?

t running
a What does the physiotherapist say about the knee?|Is your knee any better?
l My knee complained all week.|I finally had somebody look at the knee.
s I was told {v} and nothing else until it calms down.|The verdict was {v}, every day, no excuses.
v cold packs|ten minutes of stretching|two weeks of swimming|a stiff bandage|no stairs|balancing on one leg
q What is {who} to do about the knee{when}?|What did the physiotherapist tell {who} about the knee{when}?
i What was {who} telling of, to be done until the trouble calmed{when}?
r Which treatment was {who} given for the injured leg{when}?

t dog
a What is the puppy called?|Have you settled on a name for the puppy?
l The puppy arrived and nobody slept.|We could not agree on a name for the puppy for days.
s In the end we all shouted {v} at the same moment, so that was that.|It is {v} now, after my grandfather's boat.
v Biscuit|Pepper|Comet|Waffle|Juniper|Admiral
q What is {who}'s puppy called{when}?|Which name did {who} give the puppy{when}?
i What were they shouting when {who} decided{when}?
r How does {who} address the new pet{when}?

t dog
a What did the dog destroy this time?|Is the dog still chewing everything?
l The dog had an hour alone yesterday.|I should never leave the dog by itself.
s There was nothing left of {v} but crumbs.|This time it was {v}, torn to the last thread.
v my left slipper|the sofa cushion|the remote control|a library book|the neighbour's doormat|my straw hat
q What did {who}'s dog destroy{when}?|What did the dog chew up at {who}'s place{when}?
i What did the animal tear at {who}'s place{when}?
r Which belonging of {who} got ruined by the pet{when}?

t kitchen
a How far is the kitchen renovation?|Are the builders done with the kitchen?
l The kitchen renovation has taken over our lives.|We still cook in the hallway because of the kitchen.
s They found {v} behind the wall and everything stopped.|All work waits because of {v}, which nobody expected.
v a leaking pipe|old newspapers|a bricked-up window|mould|a wasp nest|wiring from the fifties
q What held up {who}'s kitchen renovation{when}?|What did the builders find in {who}'s kitchen{when}?
i What stopped the work and kept {who} waiting{when}?
r What caused the delay in the remodelling at {who}'s home{when}?

t kitchen
a Which tiles did you pick for the kitchen?|Did you decide about the tiles?
l We spent a whole Saturday looking at tiles.|The tiles for the kitchen nearly ended our peace.
s We both pointed at {v}, for once without an argument.|It will be {v}, I ordered them before anybody changed their mind.
v the dark green ones|plain white hexagons|the terracotta ones|the ones with small fish|grey slate|the sunflower pattern
q Which tiles did {who} choose for the kitchen{when}?|What kind of tiles did {who} decide on{when}?
i What was {who} pointing at and ordering{when}?
r Which wall covering did {who} select{when}?

t work
a How did the job interview go?|Any word after the interview?
l I had that interview on Tuesday.|The interview is behind me at last.
s They wanted to know {v}, and I had no idea what to say.|The strangest part was when they asked {v}.
v how I deal with bores|what I would do with a free year|which animal I would be|why I left the bank
v how many windows the city has|what my mother thinks of me
q What was {who} asked in the job interview{when}?|What came up in {who}'s interview{when}?
i What did the people who wanted to hire {who} keep asking{when}?
r What puzzled {who} while applying for the position{when}?

t work
a How is the new boss?|Are you getting along with your boss?
l The new boss started on Monday.|There is something I must tell you about my boss.
s Every morning there is {v} before anybody may open a laptop.|We all have to sit through {v} at eight sharp.
v a breathing exercise|a round of applause|a reading from a novel|a quiz about the company|gymnastics|a weather report
q What does {who}'s boss make everybody do{when}?|What is the habit of {who}'s new boss{when}?
i What was everybody sitting through in the mornings at {who}'s office{when}?
r Which ritual did the manager of {who} introduce{when}?

t wedding
a What are you giving your sister for the wedding?|Have you found a present for the wedding?
l The wedding is getting close and I had no present.|I have thought about a wedding present for weeks.
s I settled on {v}, wrapped in an old map.|She will get {v} from me, and she suspects nothing.
v a record player|a lemon tree|a week in a lighthouse|a quilt|two bicycles|a painting of their street
q What present does {who} give for the wedding{when}?|What did {who} find as a wedding present{when}?
i What had {who} been wrapping{when}?
r Which gift for the bride did {who} decide on{when}?

t wedding
a Where is the wedding party going to be?|Did they find a place for the wedding?
l They finally have a place for the wedding.|The whole family argued about where to hold the wedding.
s Everybody will dance in {v}, rain or not.|They booked {v}, which holds eighty people if nobody breathes.
v a barn by the river|an old cinema|the botanical garden|a tram depot|my uncle's vineyard|the rowing club
q Where does the wedding take place according to {who}{when}?|Which place for the wedding did {who} tell of{when}?
i Where will people be dancing, as {who} told{when}?
r Which venue for the ceremony did {who} mention{when}?

t books
a What is the book club reading?|Which book did the club choose?
l The book club met at my place.|Our book club had a proper quarrel.
s It will be {v}, four hundred pages in three weeks.|Most hands went up for {v}, so I gave in.
v a Russian family saga|the diary of a whaler|a thriller set in Oslo|poems from Chile|a history of salt
v letters of an astronomer
q What does {who}'s book club read{when}?|Which book was chosen in {who}'s club{when}?
i What did {who} end up giving in to when hands were going up{when}?
r Which title did the literature circle of {who} vote for{when}?

t books
a How is the writing course?|Did you read your story in the writing course?
l I read aloud in the writing course for the first time.|The writing course was merciless.
s The whole room went silent at {v}, and then they clapped.|They all liked {v} best, of all things.
v the scene on the ferry|the talking radiator|the last paragraph|the argument over soup|the grandmother's speech
v the lost umbrella
q What did they like in the writing course of {who}{when}?|What worked in {who}'s story for the writing course{when}?
i What made the others clap for {who}{when}?
r Which passage of the manuscript by {who} was praised{when}?

t camping
a How was camping?|Did you really go camping in that weather?
l We went camping after all.|Never again camping without checking the forecast.
s In the middle of the night {v} and we had to run for the car.|We were fast asleep when {v}, you can imagine the noise.
v a fox stole the bread|the river came up|the tent pole snapped|a cow walked in|hail started|the air bed burst
q What happened to {who} when camping{when}?|What went wrong on {who}'s camping trip{when}?
i What had {who} running for the car while sleeping outdoors{when}?
r Which mishap befell {who} in the wilderness{when}?

t camping
a Who comes along on the hike?|Is anybody joining you for the hike?
l The hike over the ridge is planned at last.|I am packing for the hike.
s {v} said yes at once, with a rucksack as big as a fridge.|This year I have {v} with me, God help us.
v my cousin Rafa|the whole choir|my old geography teacher|two colleagues from Ghent|my brother-in-law|nobody but the dentist
q Who goes on the hike with {who}{when}?|Who joined {who} for the hike{when}?
i Who was saying yes to coming with {who}{when}?
r Who accompanied {who} in the mountains{when}?

t health
a Did the allergy test show anything?|What came out of the allergy test?
l I had the allergy test done.|My nose forced me to take the allergy test.
s It turns out that {v} must leave my life for good.|No more {v} for me, they were quite clear about it.
v walnuts|birch tea|cheap red wine|feather pillows|shellfish|lupin flour
q What did {who}'s allergy test show{when}?|What is {who} allergic to, after the test{when}?
i What turned out to be leaving {who}'s life{when}?
r Which substance does {who} not tolerate{when}?

t health
a Are you sleeping better?|Did you get rid of the insomnia?
l I have not slept properly for a month.|The insomnia is back.
s What helps is {v} an hour before the light goes out.|I swear by {v} now, it knocks me out.
v a hot foot bath|listening to shipping forecasts|counting backwards in French|warm oat milk|an old encyclopedia
v a walk around the block
q What helps {who} with the insomnia{when}?|What lets {who} sleep better{when}?
i What has been helping or knocking {who} out{when}?
r Which remedy makes {who} fall into slumber{when}?
""")

_SECOND = _facets("""
t garden
a How are the vegetables coming along?|Is anything growing in the allotment?
l I spent the whole Sunday in the allotment.|The allotment is a jungle.
s The {v} are as tall as my shoulder already.|I have more {v} than a family of six could eat.
v tomatoes|leeks|runner beans|courgettes|artichokes|sweet peppers
q What grows in {who}'s allotment{when}?|How do the vegetables of {who} come along{when}?
i What could a family not be eating up at {who}'s{when}?
r Which crop does {who} harvest{when}?

t garden
a Who keeps eating your salad beds?|Did you find out who raids the beds at night?
l Somebody raids my beds at night.|I set up a camera next to the beds.
s It was {v} all along, looking straight into the lens.|I caught {v} red-handed at four in the morning.
v a hedgehog|the neighbour's rabbit|two magpies|a very old tortoise|a deer|a badger
q Who raids {who}'s beds at night{when}?|Who ate from the beds of {who}{when}?
i Whom was {who} catching in the act{when}?
r Which creature did {who} expose as the thief{when}?

t music
a How are the piano lessons?|Are you still taking piano lessons?
l The piano lessons pay off at last.|My piano teacher is never satisfied.
s I can get through {v} without looking at my hands.|Since March it is {v} and nothing else, the neighbours hum along.
v a Chopin waltz|the slow movement of that sonata|an old tango|a ragtime|a lullaby by Brahms|the theme from a western
q What does {who} play in the piano lessons{when}?|How far is {who} with the piano{when}?
i What do the neighbours keep humming at {who}'s house{when}?
r Which piece did {who} master on the instrument{when}?

t music
a Which song does the choir sing at the festival?|Has the choir agreed on a programme?
l The choir is going to the festival.|We had a long choir rehearsal.
s We open with {v}, half of us still off key.|It ends with {v}, and people will cry, I promise.
v a sea shanty|a Finnish hymn|three madrigals|a gospel number|a song about trains|a Catalan carol
q What does {who}'s choir sing at the festival{when}?|What is on the programme of {who}'s choir{when}?
i What is the opening or the ending going to be for {who}'s singers{when}?
r Which composition will the vocal ensemble of {who} perform{when}?

t car
a What was wrong with the car?|Did the garage find the fault with the car?
l The car let me down on the motorway.|I had to leave the car at the garage.
s They showed me {v} and asked how I had driven at all.|The bill says {v}, four hundred and twenty in total.
v a cracked hose|a dead battery|worn brakes|a mouse nest in the filter|a broken spring|a loose exhaust
q What was wrong with {who}'s car{when}?|What did the garage find in the car of {who}{when}?
i What were they showing {who} that made driving hard{when}?
r Which defect did the mechanic discover for {who}{when}?

t car
a Did you pass the driving test for the trailer?|How was the driving test?
l I took the driving test for the trailer.|The driving test was a comedy.
s The examiner shook his head at {v} and still signed the paper.|I failed because of {v}, and rightly so.
v my reversing|a missed stop sign|the roundabout|parking on the hill|an open tailgate|my singing
q What troubled {who} in the driving test{when}?|How did the driving test of {who} go{when}?
i What was the man shaking his head at or failing {who} for{when}?
r Which mistake did {who} commit in front of the official{when}?

t language
a How is your Portuguese?|Are you still learning Portuguese?
l Portuguese is harder than I thought.|My Portuguese class met again.
s I ordered {v} by mistake and had to eat it.|The whole café laughed when I said {v} instead of good morning.
v a bucket of eels|seven coffees|my own shoe|the widow's hat|fried buttons|a left-handed goat
q What happened to {who} with the Portuguese{when}?|What did {who} get wrong in Portuguese{when}?
i What were people laughing about after {who}'s ordering{when}?
r Which blunder did {who} make in the foreign tongue{when}?

t language
a How do you remember the vocabulary?|Any trick for learning vocabulary?
l I have a new trick for vocabulary.|Vocabulary just would not stick.
s I stick {v} all over the flat and read them aloud.|With {v} it suddenly stays in my head.
v yellow notes|little drawings|songs I make up|a deck of cards|rhymes|postcards
q How does {who} learn vocabulary{when}?|What is {who}'s trick for vocabulary{when}?
i What has {who} been sticking up or reading out{when}?
r Which memory aid does {who} rely on{when}?

t moving
a How is the flat hunting?|Did the flat work out?
l Flat hunting is a full-time job.|We looked at another flat on Thursday.
s The landlord asked {v} and I walked straight out.|It was lovely until we noticed {v}.
v for a year in advance|about my salary|the train line under the bedroom|the missing bathroom door
v for a photo of my cat|the smell of frying
q What went wrong with {who}'s flat hunting{when}?|What put {who} off the flat{when}?
i What had {who} walking out or noticing{when}?
r Which drawback made {who} reject the apartment{when}?

t moving
a Who helps you with the move?|Do you have helpers for the move?
l The move is on Saturday.|I am surrounded by boxes because of the move.
s {v} promised to carry the washing machine, I shall hold them to it.|I bribed {v} with pizza and a crate of beer.
v the handball team|my aunt's lodgers|three students|my ex and his mother|the butcher's sons|half the orchestra
q Who helps {who} with the move{when}?|Who are {who}'s helpers for the move{when}?
i Whom was {who} bribing, or who was promising to carry{when}?
r Who assisted {who} in relocating{when}?

t baking
a Did the sourdough work this time?|How is the sourdough?
l The sourdough starter lives in my fridge now.|I got up at five for the sourdough.
s The secret was {v}, and the crust sang when it cooled.|I put {v} into it and could not stop eating.
v rye from the mill|an extra night of rest|a spoon of honey|toasted seeds|cold water|a hotter stone
q What made {who}'s sourdough work{when}?|What is {who}'s trick for the sourdough{when}?
i What was {who} putting in that made the crust sing{when}?
r Which ingredient improved the loaf of {who}{when}?

t baking
a Which cake did you bring to the birthday?|What cake did you bake for the birthday?
l I had to bake a cake for the birthday.|The birthday cake was my task.
s The {v} was gone in four minutes, not a slice for me.|I turned up with the {v} and they carried me on their shoulders.
v almond tart|plum crumble|hazelnut roll|lemon meringue|poppy seed ring|carrot tower
q Which cake did {who} bring to the birthday{when}?|What did {who} bake for the birthday{when}?
i What did {who} turn up carrying, sliced and gone at once{when}?
r Which dessert did {who} prepare for the anniversary{when}?

t photography
a What do you photograph these days?|Is your camera getting any use?
l I took the camera out again.|My camera came with me all week.
s I waited two hours in the wet grass for {v}, worth every minute.|It is all {v} on my memory card, three hundred of them.
v herons|rusty gates|fog over the weir|old shop signs|dragonflies|people at bus stops
q What does {who} photograph{when}?|What did {who} use the camera for{when}?
i What had {who} been waiting for in the wet{when}?
r Which motif does {who} capture in pictures{when}?

t photography
a Is the exhibition going ahead?|Where will your exhibition be?
l The exhibition is really going to happen.|I had the talk about my exhibition.
s They cleared {v} for me, twelve frames and one lamp.|Everything will hang in {v} from the first of the month.
v the stairwell of the town hall|a disused bakery|the hospital corridor|a bicycle shop|the station café|the crypt
q Where is {who}'s exhibition{when}?|Which place does the exhibition of {who} get{when}?
i What was cleared so that things could be hung for {who}{when}?
r In which location are the works of {who} displayed{when}?

t volunteering
a How was your shift at the shelter?|Are you still at the animal shelter?
l I had another shift at the shelter.|The shelter was full to the roof.
s Somebody had left {v} in a box at the door.|I spent the afternoon feeding {v} with a syringe.
v five kittens|a blind parrot|a litter of ferrets|a goose with one wing|an iguana|three baby owls
q What happened on {who}'s shift at the shelter{when}?|What came in at the shelter on {who}'s shift{when}?
i What was {who} feeding, or who had been leaving what in boxes{when}?
r Which abandoned creatures did {who} care for{when}?

t volunteering
a What did the charity sale bring in?|Was the charity sale worth it?
l The charity sale was on Sunday.|I stood at the charity sale from seven on.
s We counted {v} twice, because nobody believed it.|It came to {v}, more than ever before.
v nine hundred and ten|thirteen hundred|two thousand and six|seven hundred and eighty|a bit over a thousand
v fifteen hundred exactly
q What did the charity sale bring in for {who}{when}?|How much was made at {who}'s charity sale{when}?
i How much had {who} been counting{when}?
r What sum did the fundraiser of {who} yield{when}?

t chess
a How did the chess tournament go?|Did you win at the chess tournament?
l I played the chess tournament in the library.|The chess tournament lasted until midnight.
s I lost to {v} in eleven moves and had to laugh.|In the end only {v} stood between me and the cup.
v a boy of nine|the postman|my own dentist|a lady with a thermos|a monk|the twins from Riga
q Whom did {who} meet at the chess tournament{when}?|How did the chess tournament of {who} end{when}?
i Who had been standing in {who}'s way, or whom was {who} losing to{when}?
r Which opponent defeated {who} in the competition{when}?

t chess
a Do you have a favourite opening yet?|Which opening are you studying?
l I study openings on the bus.|The trainer wants me to learn one opening properly.
s I only play {v} now, and people roll their eyes.|For a month it has been {v}, with black and with white.
v the Dutch|the King's Gambit|something with the bishop on b2|the Caro-Kann|an old Italian line|the Scandinavian
q Which opening does {who} study{when}?|What is {who}'s favourite opening{when}?
i What had {who} been playing that kept eyes rolling{when}?
r Which strategy at the board does {who} prefer{when}?
""")

HALVES = (_FIRST, _SECOND)
"""Facets by half: the ranker was chosen on the first, the second was only ever measured."""

OPENERS = _parts("""
Oh, | Well, | Ha, | You know, | Honestly, | So, | Right, | Funny you say that, | To be fair, | Hmm,
""")

TAILS = _parts("""
I was so tired afterwards. | You would have laughed. | My phone was full of messages about it. |
I still cannot quite believe it. | It made my week. | My parents shook their heads, of course. |
I will send you a picture. | I slept like a stone after that. | Anyway, that is how it is. |
It cost me half the evening. | I would do it all over again. | We must talk about it over coffee some time. |
Next time you have to be there. | The weather played along, luckily. | I thought of you. |
It was not what I had planned, but who cares.
""")

PROMPTS = _parts("""
And, how did it turn out? | Go on, tell me. | And then? | Now I am curious. | Tell me everything. |
Well, what happened?
""")

STALLS = _parts("""
Where do I start. It was quite a day. | Give me a second, I need to sit down for this. | You will not believe it. |
It is a long story, but a good one. | Better than I feared, all in all. |
Do you want the short version or the long one?
""")

REACTIONS = _parts("""
That sounds wonderful. | No way, really? | I am happy for you. | That is so typical. | I wish I had seen that. |
Good for you! | I would have given up long before. | You never do things by halves, do you? | That made me smile. |
What a story. | I can picture it perfectly. | Seriously? That is more than I expected. | Keep me posted. |
You deserve it. | I am a little envious. | My week was nothing compared to that.
""")

CLOSINGS = _parts("""
Thanks, that means a lot. | We shall see how long it lasts. | I will tell you more next time. | Fingers crossed. |
It is a start. | I am taking it one day at a time. | You should try it some time. | That is what my mother said too. |
I hope so. | Let us not talk about the costs.
""")

CHAT = tuple(
    (said, answered)
    for said, answered in map(
        _parts,
        """
Good morning! Did you sleep well? | Morning! Like a stone, and you?
How is the weather over there? | Grey since Tuesday, I have forgotten what the sun looks like.
Did you watch the match last night? | Only the first half, then I fell asleep on the couch.
I had the longest meeting of my life today. | Poor you. Mine was cancelled, for once.
What are you having for dinner? | Probably the leftovers from yesterday, with an egg on top.
My train was late again. | Mine too, an hour, and nobody said why.
Are you free at the weekend? | On Sunday, I think. Saturday is full already.
I need a holiday. | Do not we all. I count the days.
My sister called this morning. | How is she? I have not heard from her for ages.
I saw a film yesterday, nothing special. | I did not get further than the first series on my list.
The neighbours had a party until three. | You should have gone over and danced.
I think I am getting a cold. | Stay in bed and drink something hot.
Guess who I met in the supermarket. | Let me think. Somebody from school?
I cleaned the whole flat today. | I am impressed. Mine looks like a storm passed through.
Have you heard from the others? | Not since the last time we all met.
My phone battery is dying. | Then call me when you are home.
I am stuck in traffic. | Put some music on and breathe.
It is my turn to cook tonight. | Make something with a lot of garlic.
I forgot my umbrella, of course. | You always do. I have three of yours.
What a week. | Tell me about it. I am glad that it is over.
I cannot decide what to wear. | The green one, as always.
Did you get my message? | I did, I just forgot to answer, sorry.
I am so hungry that I could eat a horse. | There is soup in the freezer, if that helps.
Thanks for listening yesterday. | Any time, you know that.
Coffee tomorrow? | Yes please, the usual place at ten.
I lost my keys and found them in the fridge. | That happens to me with my glasses.
The children next door learn the trumpet. | My deepest sympathy.
I read about that new bridge in the paper. | They have been building it for ten years.
My back hurts from sitting. | Get up and walk around a little.
I should go to bed. | Me too. Good night, and talk soon.
""".strip().split("\n"),
    )
)
