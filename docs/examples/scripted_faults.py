"""How an agent's loop bears a provider that fails: each way of failing, from a script."""

from openai import APIError, OpenAI

from transom.testing.provider import Fault, ScriptedProvider, says

FAULTS = [
    Fault.refuses(503, "overloaded"),
    Fault.refuses(429, "slow down", retry_after=2),
    Fault.nothing(),
    Fault.page(),
    Fault.garbage(),
    Fault.in_success("the model crashed"),
    Fault.breaks_off(),
    Fault.hangs(),
]


def ask(client: OpenAI) -> str:
    try:
        answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
        return answer.choices[0].message.content
    except (APIError, AttributeError, TypeError, ValueError) as error:  # your loop's own handling is what you would test
        return type(error).__name__


with ScriptedProvider([*FAULTS, says("Hello.")]) as provider:
    with OpenAI(base_url=f"{provider.url}/v1", api_key="none", max_retries=0, timeout=1) as client:
        for fault in FAULTS:
            print(f"{fault.kind}: {ask(client)}")
        print(ask(client))
    print(f"{len(provider.received)} requests, the last from {provider.received[-1].messages[-1].text!r}")
