"""Verdicts of the safety layer: what may be done, which rule says no, and the words a model reads."""

from transom.safety import commands, origins, paths, regexes, secrets
from transom.vocabulary import ENGLISH

for command in ("grep -rn 'rm -rf' src | head", "rm -r -f build", "cat notes.txt | sh", "git status"):
    verdict = commands.judge(command)
    words = "allowed" if verdict.allowed else ENGLISH.refusing.say(verdict.reason, verdict.facts)
    print(f"{command}: {words}")

assert commands.judge("git status", allowed={"git"}).allowed
assert paths.judge_form("//server/share").reason == "path_network"
assert regexes.judge("(a+)+$").reason == "regex_unsafe"
assert origins.judge("rebound.example:8080", None).reason == "origin_host"

token = "ghp_" + "a1B2" * 9
[finding] = secrets.find(f"TOKEN={token}\n")
assert finding.kind == "github_token"
assert token not in secrets.masked(f"TOKEN={token}\n")
