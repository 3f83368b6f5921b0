"""A client behind the gateway: a long conversation, the headers that tell what was done, and what left read back."""

import json
import subprocess
import sys
from contextlib import contextmanager
from urllib.request import urlopen

from openai import OpenAI

from transom.testing.provider import ScriptedProvider, says

WINDOW = 8_000


@contextmanager
def gateway(upstream):
    """``transom serve``, as long as the block runs; it says its address in its first line."""
    command = [sys.executable, "-m", "transom", "serve", "--quiet", "--json", "--port", "0", "--store", "gateway.db"]
    serving = subprocess.Popen([*command, "--upstream", upstream, "--window", str(WINDOW)], stdout=subprocess.PIPE)
    with serving:
        yield json.loads(serving.stdout.readline())["url"]
        serving.terminate()


def talk(url):
    with OpenAI(base_url=f"{url}/v1", api_key="your-key") as client:
        history = [{"role": "system", "content": "You are a careful engineer."}]
        for step in range(1, 31):
            history.append({"role": "user", "content": f"Look at part {step} of 30."})
            answer = client.chat.completions.with_raw_response.create(model="any", messages=history)
            history.append({"role": "assistant", "content": answer.parse().choices[0].message.content})
        return {name: value for name, value in answer.headers.items() if name.startswith("x-transom-")}


# Stands for the model: it refuses what is longer than its window.
with ScriptedProvider(lambda _: says("This part is fine. " * 40), window=WINDOW) as provider, gateway(provider.url) as url:
    for name, value in talk(url).items():
        print(f"{name}: {value}")
    print(f"{len(provider.refusals)} requests were refused")
    with urlopen(f"{url}/_transom/requests?limit=1") as told:
        newest = json.load(told)["requests"][0]
    closed = newest["decisions"][0]
    print(closed["reason"])

    where = ["--store", "gateway.db", "--scope", newest["scope"]]
    for uri in closed["uris"]:
        command = [sys.executable, "-m", "transom", "store", "get", uri, "--expand", *where]
        left = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        print(f"{uri}: {len(left.splitlines())} messages")
