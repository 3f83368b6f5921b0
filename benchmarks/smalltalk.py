# ruff: noqa: SIM905 - a list of sentences reads better as lines
"""Messages that need nothing that was said before: what people write between their questions, to others and to programs.

Written by hand. ``SMALL_TALK`` is a hundred of them; ``PASTES`` are code, logs and tables with few words or none, and
``UNRELATED`` are questions and orders about things that no conversation of the benchmark speaks of.
"""

from __future__ import annotations

__all__ = ["PASTES", "SMALL_TALK", "UNRELATED"]

SMALL_TALK = tuple(
    """Thanks!
Thank you so much, that helps a lot.
Great, thanks.
Perfect.
Ok.
Okay, got it.
Sounds good to me.
Yes please.
No, that is all for now.
Go on.
Continue.
Please continue where you stopped.
Keep going, you are doing great.
Next one, please.
Do the next step.
Yes, do that.
Sure, go ahead.
Alright, let's do it.
Wait a moment, I am on the phone.
I am back.
Sorry, I was away for lunch.
Good morning!
Good morning, did you sleep well?
Hello there, how are you today?
Hi! How is it going?
Hey, are you still there?
Good night, talk to you tomorrow.
See you on Monday.
Have a nice weekend!
How was your weekend?
What did you do on Sunday?
Anything new?
What a day.
I am so tired today.
It is raining again, I cannot stand it any more.
How is the weather where you are?
It is far too hot in this office.
I need a coffee first.
Let me get a cup of tea.
I am hungry, what should I eat tonight?
What are you up to this evening?
Did you see the game yesterday?
Who do you think will win the cup?
Can you believe that it is almost Christmas?
Happy birthday!
Congratulations, well done!
Haha, that is funny.
lol
That made me laugh.
Wow, I did not expect that.
Interesting.
I see.
Hm, let me think about it.
I am not sure.
Maybe later.
Never mind.
Forget it, it does not matter.
My bad, sorry about that.
No worries at all.
You are the best.
I like the way you put that.
That is exactly what I meant.
Not quite, but close.
Could you say that in a simpler way?
Can you make it shorter?
Please answer in one sentence.
Use bullet points, please.
Be more formal, please.
Explain it like I am five.
Why?
Why is that?
How so?
Really?
Are you sure?
Is that true?
And then?
What else?
Anything else I should know?
What do you think?
Do you have a favourite colour?
Tell me a joke.
Do you dream at night?
What is the meaning of life?
Are you a robot?
How old are you?
Do you like music?
What kind of films do you enjoy?
Say something nice.
I feel a bit sad today.
I had an argument with my boss.
My train is late, as always.
The traffic was terrible this morning.
I have a meeting in five minutes.
Let us take a break.
Shall we call it a day?
Ready when you are.
You choose.
It is up to you.
Cool, that worked.
It works now, thank you.""".split("\n")
)

PASTES = (
    "```python\ndef total(orders):\n    return sum(order.price for order in orders)\n```",
    "for (let i = 0; i < rows.length; i++) {\n  console.log(rows[i].name);\n}",
    "Traceback (most recent call last):\n  File \"app.py\", line 12, in <module>\n    main()\nKeyError: 'name'",
    "2024-03-01 12:00:01 INFO server started\n2024-03-01 12:00:05 ERROR connection lost\n2024-03-01 12:00:06 INFO retrying",
    "SELECT id, name FROM customers WHERE country = 'FR' ORDER BY name;",
    "| name | price |\n|------|-------|\n| tea | 3.20 |\n| bread | 2.80 |",
    '{"name": "dog", "age": 4, "tags": ["brown", "small"]}',
    "$ git status\nOn branch main\nnothing to commit, working tree clean",
    '#include <stdio.h>\nint main(void) {\n    puts("hello");\n    return 0;\n}',
    "> Dear all,\n> the meeting is moved to Friday.\n> Regards",
)

UNRELATED = tuple(
    """What is the capital of Mongolia?
How many moons does Jupiter have?
Translate "the early bird catches the worm" into Latin.
Write a haiku about autumn leaves.
What is the boiling point of ethanol?
Which planet has the longest year?
Explain how a transistor works.
What is the derivative of sine?
Who wrote the Iliad?
Convert 30 miles to kilometres.
How do vaccines train the immune system?
What does the acronym NASA stand for?
Give me a regular expression for IPv4 addresses.
Why is the sky blue?
What is the difference between TCP and UDP?
Name three rivers in Brazil.
How do I exit vim?
What causes tides?
Summarise the plot of Hamlet.
Which elements are noble gases?
How do I sort a list in Python by the second item?
What is the speed of light in a vacuum?
Who painted the Sistine ceiling?
When was the printing press invented?
What is photosynthesis?
How do submarines dive?
What is the largest desert on Earth?
Explain compound interest with an example.
What is a monad?
Which countries border Switzerland?""".split("\n")
)
