"""The process in which JavaScript runs: an engine without files, network, processes or modules, behind a bound on memory.

Started as a script by a bare interpreter, which the library never runs itself. Reads the program from standard input; what the
console is given goes to the two output streams as it comes, and the value of the last expression follows after a record
separator. Ends with 0, with 1 when the program threw, with 3 when it ran out of memory.
"""

from __future__ import annotations

import json
import os
import sys

SEPARATOR = "\x1e"
THREW, EXHAUSTED = 1, 3
_OURS = ("at eval (native)",)
_FRAME = "at <anonymous> (<input>:"

PRELUDE = r"""
(function (write, settled) {
  'use strict';
  const seen = (value, depth, above) => {
    if (typeof value === 'string') return depth ? JSON.stringify(value) : value;
    if (typeof value === 'bigint') return value + 'n';
    if (typeof value === 'function') return '[Function' + (value.name ? ': ' + value.name : '') + ']';
    if (typeof value === 'symbol') return value.toString();
    if (value === null || typeof value !== 'object') return Object.is(value, -0) ? '-0' : String(value);
    if (value instanceof Error) return String(value) + (value.stack ? '\n' + value.stack.trimEnd() : '');
    if (value instanceof Date) return isNaN(value) ? 'Invalid Date' : value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (value instanceof Promise) return 'Promise {}';
    if (above.includes(value)) return '[Circular]';
    if (depth > 4) return Array.isArray(value) ? '[Array]' : '[Object]';
    const inner = [...above, value];
    const show = (item) => seen(item, depth + 1, inner);
    const most = 1000;
    const rest = (items) => (items.length > most ? ['… ' + (items.length - most) + ' more'] : []);
    const list = (items) => items.slice(0, most).map(show).concat(rest(items)).join(', ');
    if (Array.isArray(value)) return value.length ? '[ ' + list(value) + ' ]' : '[]';
    if (ArrayBuffer.isView(value) && 'length' in value) return value.constructor.name + ' [ ' + list(Array.from(value)) + ' ]';
    const pairs = (map) => Array.from(map).map(([key, item]) => show(key) + ' => ' + show(item)).join(', ');
    if (value instanceof Map) return 'Map(' + value.size + ') { ' + pairs(value) + ' }';
    if (value instanceof Set) return 'Set(' + value.size + ') { ' + list(Array.from(value)) + ' }';
    const made = value.constructor && value.constructor !== Object ? value.constructor.name : '';
    const name = made ? made + ' ' : '';
    const plain = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;
    const fields = Object.keys(value).map((key) => (plain.test(key) ? key : JSON.stringify(key)) + ': ' + show(value[key]));
    return name + (fields.length ? '{ ' + fields.join(', ') + ' }' : '{}');
  };
  const wellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);
  const text = (value) => wellFormed(String(seen(value, 0, []))).replaceAll('\0', '\uFFFD');
  // Joined, because the engine cannot hand on a long text that was added up.
  const line = (stream) => (...items) => { write(stream, [items.map(text).join(' '), ''].join('\n')); };
  const [out, err] = [line(1), line(2)];
  globalThis.console = { log: out, info: out, debug: out, dir: out, table: out, error: err, warn: err, trace: err };
  const run = eval;
  return (source) => {
    const value = run(source);
    if (value instanceof Promise) value.then((result) => settled(true, text(result)), (error) => settled(false, text(error)));
    else settled(true, value === undefined ? '' : text(value));
  };
})
"""


def _write(stream: int, text: str) -> None:
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(stream, data) :]


def _threw(text: str) -> int:
    """Say what was thrown, without the lines that are ours."""
    lines = [line for line in text.rstrip().splitlines() if line.strip() not in _OURS and _FRAME not in line]
    _write(2, "\n".join(lines) + "\n")
    return EXHAUSTED if lines and "out of memory" in lines[0] else THREW


def main(places: list[str], memory: int) -> int:
    """Run the program on standard input; gives the exit status."""
    sys.path += places
    # Imported here: where the engine lies is known only from the arguments.
    import _quickjs  # type: ignore[import-not-found]

    source = sys.stdin.buffer.read().decode("utf-8")
    engine = _quickjs.Context()
    engine.set_memory_limit(memory)
    outcome: list[tuple[bool, str]] = []
    engine.add_callable("__write", _write)
    engine.add_callable("__settled", lambda good, text: outcome.append((good, text)))
    engine.set("__prelude", engine.eval(PRELUDE))
    # The two doors are reachable from the prelude's closure only.
    engine.eval("globalThis.__tell = __prelude(__write, __settled); delete globalThis.__write; delete globalThis.__settled;")
    tell = engine.get("__tell")
    engine.eval("delete globalThis.__prelude; delete globalThis.__tell;")
    try:
        tell(source)
        while engine.execute_pending_job():
            pass
    except Exception as error:  # noqa: BLE001 - whatever the engine raises is the program's own failure
        return _threw(str(error))
    good, text = outcome[-1] if outcome else (True, "")
    if not good:
        return _threw(text)
    _write(1, SEPARATOR + json.dumps(text))
    return 0


if __name__ == "__main__":
    os._exit(main(sys.argv[2:], int(sys.argv[1])))
