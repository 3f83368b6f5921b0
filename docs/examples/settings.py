"""Reads the settings in force, with one given by the program."""

from transom.settings import load

resolved = load({"window": 64_000})
print(resolved.settings.window, resolved.settings.strategy)
print(resolved.entries["window"].source)
