"""Ten attempts to get out of each engine, through the tool that runs it. None may reach what lies outside."""

from __future__ import annotations

import json
import site
import sys
from pathlib import Path

import pytest
from tests.unit.toolbox.execution.conftest import Box

from transom.toolbox.tool import Envelope

pytestmark = pytest.mark.feature("Z4")

JAVASCRIPT = {
    "the host's Function": "console.log(JSON.stringify(this.constructor.constructor('return process')().env))",
    "modules": "console.log(require('fs').readFileSync('{secret}', 'utf8'))",
    "dynamic modules": "import('{secret}').then((m) => console.log(Object.keys(m)), (e) => console.log(String(e)))",
    "modules of the engine": """
        for (const n of ['std', 'os', 'qjs:std', 'qjs:os', 'bjson']) import(n).then((m) => m.exec(['touch', '{pwned}']));
    """,
    "globals of the engine": "std.open('{secret}', 'r').readAsString() + os.readdir('/')",
    "names of other hosts": """
        const names = ['process', 'Deno', 'Bun', 'scriptArgs', 'load', 'read', 'print', 'Worker', 'WebAssembly', 'fetch'];
        for (const n of names) if (typeof globalThis[n] !== 'undefined') console.log('MARK-' + '7f3a', n);
    """,
    "the doors of the console": """
        const keep = (f) => { f.toString(); Object.getOwnPropertyNames(f); return f.caller };
        for (const f of Object.values(console)) try { console.log(String(keep(f))) } catch (e) {}
        for (const n of Object.getOwnPropertyNames(globalThis)) if (n.startsWith('__')) console.log('MARK-' + '7f3a', n);
    """,
    "prototypes the console relies on": """
        let door;
        const map = Array.prototype.map;
        Array.prototype.map = function (f) { door = f; return map.call(this, f) };
        Function.prototype.call = function () { door = this };
        String.prototype.replaceAll = () => 7;
        console.log('x');
        try { door.constructor('return this')().__write(1, 'MARK-' + '7f3a') } catch (e) {}
    """,
    "the stack of an error": """
        Error.prepareStackTrace = (e, frames) => frames;
        try { null.x } catch (e) { for (const f of [].concat(e.stack)) try { console.log(f.getThis().__write) } catch (x) {} }
    """,
    "memory of other processes": """
        const s = new SharedArrayBuffer(1024), b = new ArrayBuffer(8);
        try { Atomics.wait(new Int32Array(s), 0, 0, 1) } catch (e) {}
        try { new DataView(b).getFloat64(2 ** 40) } catch (e) {}
        try { new Uint8Array(b, 0, 2 ** 33) } catch (e) {}
    """,
    "code that is text": """
        new Function('return import("{secret}")')().catch(() => (0, eval)('require("child_process")'))
    """,
}

RESTRICTED = {
    "open": "print(open('{secret}').read())",
    "pathlib": "from pathlib import Path\nprint(Path('{secret}').read_text())",
    "writing": "from pathlib import Path\nPath('{pwned}').write_text('x')",
    "os": "import os\nprint(os.environ)",
    "a shell": "import os\nos.system('touch {pwned}')",
    "subprocess": "import subprocess\nsubprocess.run(['touch', '{pwned}'])",
    "import by name": "__import__('o' + 's').system('touch {pwned}')",
    "the class tree": """
w = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]
w.__init__.__globals__['system']('touch {pwned}')
""",
    "frames": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    print(e.__traceback__.tb_frame.f_back.f_globals)",
    "ctypes": "import ctypes\nctypes.CDLL(None).system(b'touch {pwned}')",
    "sockets": "import socket\nsocket.create_connection(('127.0.0.1', 1))",
    "evaluating": 'print(eval(\'__import__("os").environ\'))\nexec(\'open("{pwned}", "w")\')',
    "builtins": "print(globals()['__builtins__'].open('{secret}').read())",
}

CPYTHON = {
    "a plain read": "print(open('{secret}').read())",
    "the server's environment": """
import os
print(dict(os.environ))
print(open('/proc/%d/environ' % os.getppid()).read())
""",
    "a child": """
import subprocess
subprocess.run(['touch', '{pwned}'])
print(subprocess.run(['cat', '{secret}'], capture_output=True).stdout)
""",
    "the C library": "import ctypes\nctypes.CDLL(None).system(b'touch {pwned}; cat {secret}')",
    "the server's own packages": "import transom\nopen(transom.__file__, 'a').write('x')",
    "the interpreter's library": "import json, os\nos.chmod(json.__file__, 0o666)",
    "writing into it": "import json\nopen(json.__file__, 'a').write('# pwned')",
    "packages of the environment": "import site\nopen(site.getsitepackages()[0] + '/pwned.pth', 'w').write('import os')",
    "a link back": """
import os
os.symlink('..', 'up')
try:
    open('up/PWNED', 'w')
finally:
    print(open('up/outside/secret.txt').read())
""",
    "later": """
import os
if os.fork() == 0:
    os.setsid()
    while True:
        try: open('{pwned}', 'w')
        except OSError: pass
""",
    "everything there is": """
import os
for at, _, names in os.walk('/'):
    for name in names:
        if name == 'secret.txt': print(open(os.path.join(at, name)).read())
""",
}


def unreached(answer: Envelope, box: Box) -> None:
    said = f"{answer.text}{answer.data}"
    assert "MARK-7f3a" not in said, said
    assert "c4n4ry-77" not in said
    assert not (box.root.parent / "PWNED").exists()
    assert (box.root.parent / "outside" / "secret.txt").read_text() == "MARK-7f3a secret\n"


def filled(code: str, box: Box) -> str:
    outside = box.root.parent
    return code.replace("{secret}", str(outside / "outside" / "secret.txt")).replace("{pwned}", str(outside / "PWNED"))


def interpreter() -> tuple[int, int, list[str]]:
    """What an attempt on the interpreter would change."""
    status = Path(json.__file__).stat()
    return status.st_mode, status.st_size, [place for place in site.getsitepackages() if Path(place, "pwned.pth").exists()]


@pytest.mark.parametrize("name", JAVASCRIPT)
@pytest.mark.parametrize("confined", [True, False])
async def test_no_script_gets_out_of_its_engine(name: str, confined: bool, box: Box, bare: Box) -> None:
    used = box if confined else bare
    unreached(await used("run_javascript", javascript=filled(JAVASCRIPT[name], used), timeout_seconds=20.0), used)


@pytest.mark.parametrize("name", RESTRICTED)
async def test_nothing_gets_out_of_the_restricted_interpreter(name: str, bare: Box) -> None:
    unreached(await bare("run_python", python=filled(RESTRICTED[name], bare), timeout_seconds=20.0), bare)


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox of Linux")
@pytest.mark.parametrize("name", CPYTHON)
async def test_no_script_gets_out_of_the_sandbox(name: str, box: Box) -> None:
    before = interpreter()
    unreached(await box("run_python", python=filled(CPYTHON[name], box), timeout_seconds=20.0), box)
    assert interpreter() == before
