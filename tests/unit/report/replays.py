"""Replay results of any length, made up but coherent: windows fill, close and leave a head; long results are pruned."""

from __future__ import annotations

import hashlib
import random

from transom.jsontext import dumps_text

HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\x00\x1b[31m\ud800\u202egnp.exe\u2028&amp; ]]>"


def make_replay(
    turns: int, *, window: int = 32_000, seed: int = 7, text: str = "", conversations: int = 1
) -> dict[str, object]:
    """A replay of ``turns`` turns. ``text`` stands wherever session text may appear."""
    rng = random.Random(7)
    trigger, reserve = int(window * 0.85), max(window // 10, 1024)
    made: list[dict[str, object]] = []
    archive: list[str] = []
    messages, total, previous, number = 2, 900, 0, 1
    parts = {"system": 220, "tools": 640, "head": 0, "user": 260, "assistant": 0, "results": 0, "tail": 0}
    for index in range(1, turns + 1):
        conversation = f"run-{(index - 1) * conversations // turns + 1}" if conversations > 1 else "main"
        fresh = not made or made[-1]["conversation"] != conversation
        if fresh:
            messages, total, previous, number = 2, 900, 0, 1
            parts |= {"head": 0, "user": 260, "assistant": 0, "results": 0}
        moved: list[dict[str, object]] = []
        result = int(rng.lognormvariate(5.6, 1.1))
        if result > 2_600:
            moved.append(move("prune", rng, result * 4, 1, text or "203.0.113.9 - GET /v2/items", text or "read_file"))
            total, result = total + result, 700
        said = rng.randint(20, 220)
        parts["results"] += result
        parts["assistant"] += said
        parts["user"] += rng.choice([0, 0, 0, 0, 0, 90])
        parts["tail"] = 60
        messages += 2
        total += result + said
        closed = sum(parts.values()) > trigger
        if closed:
            gone = parts["results"] + parts["assistant"]
            parts |= {
                "head": 2_400,
                "user": min(parts["user"], 500),
                "results": int(parts["results"] * 0.3),
                "assistant": int(parts["assistant"] * 0.3),
            }
            moved.append(move("evict", rng, gone * 4, rng.randint(20, 60), text or "Please make a plan", text or "38 messages"))
            archive.append(str(moved[-1]["uri"]))
            number += 1
        output = sum(parts.values())
        size = output * 4
        stable = previous and int(previous * (0.12 if closed else 1.0))
        turn: dict[str, object] = {
            "turn": index,
            "conversation": conversation,
            "segment": 1,
            "messages": messages,
            "input_tokens": total,
            "output_tokens": output,
            "window_id": f"{text or 'w'}{number}",
            "payload_bytes": size,
            "prefix_bytes": 0 if fresh else stable,
            "sequence_bytes": size - 20,
            "tail_bytes": 240,
            "prefix_break": False,
            "compile_ms": round(rng.uniform(0.3, 2.4), 2),
            "valid": True,
            "moved": moved,
            "parts": {**parts, "reserve": reserve},
        }
        previous = size - 260
        made.append(turn)
    outputs = [int(str(turn["output_tokens"])) for turn in made]
    totals: dict[str, object] = {
        "input_tokens": sum(int(str(turn["input_tokens"])) for turn in made),
        "output_tokens": sum(outputs),
        "peak_output_tokens": max(outputs, default=0),
        "moved_bytes": 0,
        "windows": len(archive) + 1,
        "conversations": conversations,
        "segments": conversations,
        "compile_ms_p50": 0.9,
        "compile_ms_p99": 2.3,
        "prefix_breaks": 0,
        "prefix_reuse": 0.974,
        "over_window": 0,
        "errors": 0,
        "counter": text or "o200k_base",
    }
    return {
        "format": text or "openai",
        "target": text or "anthropic",
        "window": window,
        "strategy": text or "clear → digest → reset",
        "messages": messages,
        "turns": made,
        "totals": totals,
        "limits": {"window": window, "trigger": trigger, "capacity": window - reserve},
        "store": text or "demo-store.db",
        "archive": archive,
    }


def move(kind: str, rng: random.Random, size: int, messages: int, preview: str, label: str) -> dict[str, object]:
    digest = hashlib.sha256(dumps_text([kind, rng.random(), size]).encode()).hexdigest()
    place = "archive" if kind == "evict" else "vfs"
    return {
        "kind": kind,
        "uri": f"context://{place}/{digest}",
        "bytes": size,
        "messages": messages,
        "preview": "\n".join([preview] * 6),
        "label": label,
    }
