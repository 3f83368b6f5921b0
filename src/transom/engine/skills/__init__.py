"""Skills: instructions for one kind of task, as folders with a ``SKILL.md`` that agents exchange."""
