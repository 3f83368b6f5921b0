"""What counting costs, and how far the estimate is off from o200k and cl100k, by kind of text and on real sessions."""

from __future__ import annotations

import base64
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from figures import Figure

from transom.messages import Call, Message
from transom.tokens import Chars, Heuristic, Weights, bpe, weigh_batch

REPOSITORY = Path(__file__).resolve().parent.parent
TRANSCRIPTS = REPOSITORY / ".." / "shared" / "data" / "transcripts"

SENTENCES = {
    "english": "The service restarts every night at three, and the log says which of the jobs were still running then. ",
    "german": "Der Dienst startet jede Nacht um drei Uhr neu, und das Protokoll nennt die Aufträge, die noch liefen. ",
    "spanish": "El servicio se reinicia cada noche a las tres y el registro indica qué tareas seguían en ejecución. ",
    "russian": "Служба перезапускается каждую ночь в три часа, и журнал показывает, какие задания ещё выполнялись. ",
    "chinese": "服务每天凌晨三点重新启动，日志会记录当时仍在运行的任务，请先检查配置文件再继续操作。",
    "chinese-traditional": "服務每天凌晨三點重新啟動，記錄檔會寫明當時仍在執行的工作，請先檢查設定檔再繼續操作。",
    "japanese": "サービスは毎晩三時に再起動し、そのとき実行中だったジョブがログに記録されます。",
    "korean": "서비스는 매일 새벽 세 시에 다시 시작되며 그때 실행 중이던 작업이 로그에 기록됩니다. ",
    "arabic": "تعاد تشغيل الخدمة كل ليلة في الساعة الثالثة ويسجل السجل المهام التي كانت لا تزال قيد التنفيذ. ",
    "hindi": "सेवा हर रात तीन बजे फिर से शुरू होती है और लॉग बताता है कि उस समय कौन से काम चल रहे थे। ",
    "thai": "บริการจะเริ่มใหม่ทุกคืนเวลาตีสาม และบันทึกจะบอกว่างานใดยังทำงานอยู่ในขณะนั้น ",
}


def measure() -> Iterator[Figure]:
    """Accuracy, speed of counting, speed of weighing messages."""
    yield from _accuracy()
    yield from _speed()
    yield from _weighing()


def _cpu_ms(work: Callable[[], object]) -> float:
    """Median processor time in milliseconds, all threads together: what else the machine does matters less to it."""
    times = []
    for _ in range(7):
        start = time.process_time()
        work()
        times.append((time.process_time() - start) * 1000)
    return statistics.median(times)


def _kinds() -> Iterator[tuple[str, list[str]]]:
    for language, sentence in SENTENCES.items():
        yield language, [sentence * 20]
    rng = random.Random(1)
    noise = rng.randbytes(6000)
    yield "python", [path.read_text(encoding="utf-8") for path in sorted((REPOSITORY / "src").rglob("*.py"))]
    yield "base64", [base64.b64encode(noise).decode()]
    yield "hex", [noise.hex()]
    yield (
        "json",
        [json.dumps([{"id": n, "name": f"item {n}", "tags": ["a", "b"], "score": n / 7} for n in range(300)], indent=1)],
    )
    yield (
        "log",
        [
            "".join(
                f"2026-11-30T10:{n % 60:02d}:07.123Z INFO worker-{n} served GET /api/items/{n * 7919} in {n} ms\n"
                for n in range(300)
            )
        ],
    )
    for path in sorted(TRANSCRIPTS.glob("*.json*")) if TRANSCRIPTS.is_dir() else ():
        texts = list(_texts_of(path))
        if texts:
            yield f"session {path.stem}", texts


def _texts_of(path: Path) -> Iterator[str]:
    """Every string of a session file that a model might have been shown: sealed data and images left out."""
    content = path.read_text(encoding="utf-8", errors="replace")
    documents = content.splitlines() if path.suffix == ".jsonl" else [content]
    for document in documents:
        pending: list[object] = [json.loads(document)] if document.strip() else []
        while pending:
            item = pending.pop()
            if isinstance(item, str) and (" " in item[:200] or "\n" in item[:200]):
                yield item
            elif isinstance(item, dict):
                pending.extend(item.values())
            elif isinstance(item, list):
                pending.extend(item)


def _accuracy() -> Iterator[Figure]:
    heuristic, o200k, cl100k = Heuristic(), bpe("o200k"), bpe("cl100k")
    sessions: list[float] = []
    for kind, texts in _kinds():
        exact = sum(o200k.count_batch(texts))
        ratio = sum(heuristic.count_batch(texts)) / exact
        older = sum(heuristic.count_batch(texts)) / sum(cl100k.count_batch(texts))
        naive = sum(Chars().count_batch(texts)) / exact
        if kind.startswith("session "):
            sessions.append(ratio)
        note = f"against cl100k {older:.2f}; characters / 4 would give {naive:.2f}"
        yield Figure(f"heuristic / o200k, {kind}"[:56], ratio, "x", at_least=0.9, note=note)
    if sessions:
        error = sum(abs(ratio - 1) for ratio in sessions) / len(sessions)
        yield Figure("mean error on real sessions, before calibration", error * 100, "%", at_most=30, note="it leans upwards")


def _speed() -> Iterator[Figure]:
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted((REPOSITORY / "src").rglob("*.py")))
    code = code.encode("ascii", "ignore").decode() * 4
    han = SENTENCES["chinese"] * 20_000
    for tokenizer in (Heuristic(), bpe("o200k")):
        tokenizer.count("the vocabulary is loaded at the first count")
        for kind, text in (("ASCII", code), ("Han", han)):
            speed = len(text.encode()) / 1e3 / _cpu_ms(partial(tokenizer.count, text))
            yield Figure(f"{tokenizer.name} on {kind}", speed, "MB/s", note="processor time")


def _session(count: int, size: int) -> list[Message]:
    line = "    return compute(value, offset=12) if value is not None else fallback  # see module_name\n"
    result = line * (size * 4 // count // len(line))
    messages: list[Message] = []
    for number in range(count // 4):
        call_id = f"call_{number}"
        messages += [
            Message("user", f"Please look at item {number} and say what is wrong with it."),
            Message("assistant", "I will.", tool_calls=[Call("read_file", f'{{"path": "src/{number}.py"}}', id=call_id)]),
            Message("tool", f"{number}\n{result}", tool_call_id=call_id),
            Message("assistant", f"Item {number} lacks a check."),
        ]
    return messages


def _weighing() -> Iterator[Figure]:
    messages = _session(20_000, 35_000_000)
    for tokenizer, bound in ((Chars(), 200.0), (Heuristic(), 1000.0), (bpe("o200k"), None)):
        spent = _cpu_ms(partial(weigh_batch, messages, tokenizer))
        yield Figure(f"weigh 20,000 messages of 35 MB, {tokenizer.name}", spent, "ms", at_most=bound)
    weights, chars = Weights(), Chars()
    weights.weigh_all(messages, chars)
    yield Figure("the same, weights cached", _cpu_ms(partial(weights.weigh_all, messages, chars)), "ms")
