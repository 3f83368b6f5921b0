"""Skills: folders with a SKILL.md, put in force, listed, changed and written back."""

import tempfile
from dataclasses import replace
from pathlib import Path

from transom import Context, Message, SkillLibrary, parse_skill, render_skill

project = Path(tempfile.mkdtemp()) / "skills"
(project / "release-notes").mkdir(parents=True)
(project / "release-notes" / "style.md").write_text("Short sentences.\n")
(project / "release-notes" / "SKILL.md").write_text("""---
name: release-notes
description: >
  Writes release notes from merged changes.
  Use when: the user asks what is new.
argument-hint: [version]
arguments: version
allowed-tools: Read, Bash(git log *)
team: platform   # a key that no format names
---
Collect what was merged since $version and write three lines about each change.
""")

library = SkillLibrary(project, "~/.config/agent/skills")
for skill in library:
    print(skill.name, skill.allowed_tools, skill.files)
for hidden in library.shadowed:
    print(hidden.directory, "is hidden by", hidden.by)
for broken in library.unusable:
    print(broken.directory, "cannot be used:", broken.reason)

ctx = Context(window=32_000, skills=library)
ctx.system("You are a careful engineer.\n\n" + ctx.skills(max_tokens=800, tool="load_skill").text)
ctx.append(Message("user", "What is new?"))

ctx.skill("release-notes", arguments="v2.1")
payload = ctx.compile_sync("anthropic")
print(payload.meta.skill, len(payload.body["system"]))

ctx.skill(None)
print(ctx.compile_sync("anthropic").body["messages"][-1]["content"])

print(library.read("release-notes", "style.md"))

text = (project / "release-notes" / "SKILL.md").read_text()
skill = parse_skill(text)
assert render_skill(skill) == text
print(render_skill(replace(skill, license="Apache-2.0")).splitlines()[7:10])
