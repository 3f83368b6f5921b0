"""Every way in which a server says that a request is too long for its model, and those it does not mean so."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.gateway.endpoint import Endpoint
from transom.gateway.exchange import Exchange, Reported
from transom.gateway.overflows import Overflow, overflow, silent, supposed, weight
from transom.gateway.upstreams import Upstream


def openai(message: str, code: object = "context_length_exceeded", kind: str = "invalid_request_error") -> dict[str, object]:
    return {"error": {"message": message, "type": kind, "param": "messages", "code": code}}


def anthropic(message: str, kind: str = "invalid_request_error") -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def gemini(message: str, status: str = "INVALID_ARGUMENT", code: int = 400) -> dict[str, object]:
    return {"error": {"code": code, "message": message, "status": status}}


LM_STUDIO = (
    "Trying to keep the first 21463 tokens when context the overflows. However, the model is loaded with context length of only"
    " 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"
)
OPENROUTER = (
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 160100 tokens (150000 of text input,"
    " 2000 of tool input, 8100 in the output). Please reduce the length of either one."
)

SAID: list[tuple[str, str, int, object, int | None, int | None]] = [
    (
        "OpenAI, in the messages",
        "openai",
        400,
        openai(
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 202868 tokens (202767 in"
            " the messages, 101 in the functions). Please reduce the length of the messages or functions."
        ),
        202_868,
        128_000,
    ),
    (
        "OpenAI, with the completion",
        "openai",
        400,
        openai(
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000"
            " in the completion). Please reduce the length of the messages or completion."
        ),
        5_000,
        8_192,
    ),
    (
        "OpenAI Responses",
        "openai-responses",
        400,
        openai("Your input exceeds the context window of this model. Please adjust your input and try again."),
        None,
        None,
    ),
    (
        "OpenAI Responses, an event of its own",
        "openai-responses",
        200,
        {"type": "error", "code": "context_length_exceeded", "message": "Your input …", "param": "input", "sequence_number": 3},
        None,
        None,
    ),
    (
        "OpenAI Responses, a failed response",
        "openai-responses",
        200,
        {
            "type": "response.failed",
            "response": {"status": "failed", "error": {"code": "context_length_exceeded", "message": "Your input exceeds …"}},
        },
        None,
        None,
    ),
    ("Anthropic", "anthropic", 400, anthropic("prompt is too long: 213462 tokens > 200000 maximum"), 213_462, 200_000),
    (
        "Anthropic, an event",
        "anthropic",
        200,
        anthropic("prompt is too long: 213462 tokens > 200000 maximum"),
        213_462,
        200_000,
    ),
    (
        "Anthropic, older models",
        "anthropic",
        400,
        anthropic(
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens`"
        ),
        188_240,
        200_000,
    ),
    (
        "Gemini",
        "gemini",
        400,
        gemini("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."),
        1_196_265,
        1_048_575,
    ),
    (
        "Gemini, without numbers",
        "gemini",
        400,
        gemini("The input token count exceeds the maximum number of tokens allowed."),
        None,
        None,
    ),
    (
        "Gemini, its compatible path",
        "openai",
        400,
        [gemini("The input token count (1,196,265) exceeds the maximum number of tokens allowed (1,048,575).")],
        1_196_265,
        1_048_575,
    ),
    (
        "llama.cpp",
        "openai",
        400,
        {
            "error": {
                "code": 400,
                "message": "request (5012 tokens) exceeds the available context size (4096 tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 5012,
                "n_ctx": 4096,
            }
        },
        5_012,
        4_096,
    ),
    (
        "llama.cpp, older",
        "openai",
        500,
        {
            "error": {
                "code": 500,
                "message": "the request exceeds the available context size. try increasing the context size",
                "type": "server_error",
            }
        },
        None,
        None,
    ),
    ("LM Studio", "openai", 400, {"error": LM_STUDIO}, 21_463, 4_096),
    ("LM Studio, an event", "openai", 200, {"error": {"message": LM_STUDIO}}, 21_463, 4_096),
    ("LM Studio, full", "openai", 200, {"error": "Context size has been exceeded."}, None, None),
    (
        "LM Studio, first tokens",
        "openai",
        400,
        {"error": "The number of tokens to keep from the initial prompt is greater than the context length. Try to load …"},
        None,
        None,
    ),
    (
        "Ollama",
        "ollama",
        400,
        {"error": "the prompt is longer than the context length currently available to the model; shorten it"},
        None,
        None,
    ),
    (
        "vLLM",
        "openai",
        400,
        {
            "error": {
                "message": "You passed 40961 input tokens and requested 1 output tokens. However, the model's context"
                " length is only 40960 tokens, resulting in a maximum input length of 40959 tokens.",
                "type": "BadRequestError",
                "param": "input_tokens",
                "code": 400,
            }
        },
        40_961,
        40_960,
    ),
    (
        "vLLM, spring of 2026",
        "openai",
        400,
        openai(
            "This model's maximum context length is 128000 tokens. However, you requested 65535 output tokens and your prompt"
            " contains at least 62466 input tokens, for a total of at least 128001 tokens.",
            400,
            "BadRequestError",
        ),
        62_466,
        128_000,
    ),
    (
        "vLLM, 2025",
        "openai",
        400,
        openai(
            "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 65536 tokens"
            " and your request has 57879 input tokens (8192 > 65536 - 57879). None",
            400,
        ),
        57_879,
        65_536,
    ),
    (
        "vLLM, oldest",
        "openai",
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the"
            " messages, 10000 in the completion). Please reduce the length of the messages or completion. None",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        9_591,
        16_384,
    ),
    (
        "SGLang",
        "openai",
        400,
        {
            "object": "error",
            "message": "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        61_709,
        40_960,
    ),
    ("OpenRouter", "openai", 400, openai(OPENROUTER, 400), 152_000, 131_072),
    (
        "OpenRouter, of whom it asked",
        "openai",
        400,
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {"raw": json.dumps(anthropic("prompt is too long: 210000 tokens > 200000 maximum"))},
            }
        },
        210_000,
        200_000,
    ),
    (
        "OpenRouter, in a choice",
        "openai",
        200,
        {"choices": [{"index": 0, "error": {"code": 400, "message": OPENROUTER}, "finish_reason": "error"}]},
        152_000,
        131_072,
    ),
    ("Bedrock", "anthropic", 400, {"message": "Input is too long for requested model."}, None, None),
    (
        "xAI",
        "openai",
        400,
        {
            "code": "Client specified an invalid argument",
            "error": "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        },
        537_812,
        131_072,
    ),
    (
        "Groq",
        "openai",
        400,
        openai("Please reduce the length of the messages or completion."),
        None,
        None,
    ),
    (
        "Copilot",
        "openai",
        400,
        openai("prompt token count of 150123 exceeds the limit of 128000", "model_max_prompt_tokens_exceeded"),
        150_123,
        128_000,
    ),
    (
        "Mistral",
        "openai",
        400,
        {
            "object": "error",
            "message": "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context"
            " length",
            "type": "invalid_request_invalid_args",
            "code": "3051",
        },
        140_000,
        131_072,
    ),
    (
        "Kimi",
        "openai",
        400,
        openai("Invalid request: Your request exceeded model token limit: 262144 (requested: 300001)", None),
        300_001,
        262_144,
    ),
    ("MiniMax", "anthropic", 400, anthropic("invalid params, context window exceeds limit (2013)"), None, None),
    (
        "LiteLLM",
        "openai",
        400,
        openai("litellm.BadRequestError: litellm.ContextWindowExceededError: AnthropicException - too long", "400"),
        None,
        None,
    ),
    (
        "LiteLLM, with the words of whom it asked",
        "openai",
        400,
        openai(
            "litellm.ContextWindowExceededError: OpenAIException - Error code: 400 - {'error': {'message': \"This model's"
            " maximum context length is 4096 tokens. However, your messages resulted in 9999 tokens.\", 'code': 400}}",
            "400",
        ),
        9_999,
        4_096,
    ),
    (
        "Fireworks",
        "openai",
        400,
        openai("The prompt is too long: 9999, model maximum context length: 4095", "invalid_request_error"),
        9_999,
        4_095,
    ),
    (
        "Azure",
        "openai",
        400,
        openai(
            "Input tokens exceed the configured limit of 4096 tokens. Your messages resulted in 9999 tokens. Please reduce the"
            " length of the messages."
        ),
        9_999,
        4_096,
    ),
    (
        "text-generation-webui",
        "openai",
        400,
        openai("This model maximum context length is 2048 tokens. However, your messages resulted in over 2054 tokens.", None),
        2_054,
        2_048,
    ),
    (
        "LM Studio, of two numbers",
        "openai",
        400,
        {
            "error": "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >="
            " n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter prompt."
        },
        10_247,
        4_096,
    ),
    (
        "LM Studio, of two numbers that touch",
        "openai",
        400,
        {
            "error": "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 15507>="
            " n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input"
        },
        15_507,
        4_096,
    ),
    (
        "LM Studio, that cannot truncate",
        "openai",
        400,
        {"error": "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"},
        15_028,
        7_424,
    ),
    (
        "ik_llama.cpp",
        "openai",
        500,
        openai("Input prompt is too big compared to KV size. Please try increasing KV size.", 500, "server_error"),
        None,
        None,
    ),
    (
        "llama-cpp-python",
        "openai",
        500,
        openai("Requested tokens (2285) exceed context window of 2048", None, "internal_server_error"),
        2_285,
        2_048,
    ),
    ("mlx-serve", "anthropic", 400, anthropic("Prompt exceeds maximum context length"), None, None),
    (
        "vllm-mlx",
        "openai",
        400,
        openai(
            "Total prompt tokens (11573) exceeds safe limit (2048) for 1 requests. Reduce prompt length or batch size", None
        ),
        11_573,
        2_048,
    ),
    (
        "SGLang, and Cloudflare that runs it",
        "openai",
        400,
        openai(
            "Requested token count exceeds the model's maximum context length of 256000 tokens. You requested a total of 256878"
            " tokens: 31216 tokens from the input messages and 225662 tokens for the completion.",
            400,
        ),
        31_216,
        256_000,
    ),
    (
        "text-generation-inference, and Together that ran it",
        "openai",
        422,
        {
            "error": {
                "message": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs`"
                " tokens and 4096 `max_new_tokens`",
                "type": "invalid_request_error",
                "param": "max_tokens",
                "code": None,
            }
        },
        80_125,
        4_097,
    ),
    (
        "text-generation-inference, the input alone",
        "openai",
        422,
        {
            "error": "Input validation error: `inputs` must have less than 4096 tokens. Given: 4545",
            "error_type": "validation",
        },
        4_545,
        4_096,
    ),
    (
        "TensorRT-LLM",
        "openai",
        400,
        openai("The sum of prompt length (9351.0), query length (0) should not exceed max_num_tokens (8192)", 400),
        9_351,
        8_192,
    ),
    (
        "TensorRT-LLM behind Triton",
        "openai",
        400,
        {"error": "Cannot process new request: Prompt length (5056) exceeds maximum sequence length (2048)"},
        5_056,
        2_048,
    ),
    (
        "Cohere",
        "openai",
        400,
        {
            "message": "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try"
            " using a shorter prompt or a smaller max_tokens value."
        },
        None,
        2_048,
    ),
    (
        "Cohere, today",
        "openai",
        400,
        {
            "id": "7e0e5c4e",
            "error_type": "TOO_MANY_TOKENS",
            "message": "too many tokens: size limit exceeded by 168512 tokens. The limit for this model is 132000 tokens.",
        },
        None,
        132_000,
    ),
    (
        "Cohere, between",
        "openai",
        400,
        {
            "message": "too many tokens: size limit exceeded by 713295 tokens. Try using shorter or fewer inputs. The limit for"
            " this model is 288000 tokens."
        },
        None,
        288_000,
    ),
    (
        "Cohere, without the limit",
        "openai",
        400,
        {
            "message": "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs, or setting"
            " prompt_truncation='AUTO'."
        },
        None,
        None,
    ),
    (
        "vLLM, the input alone",
        "openai",
        400,
        openai(
            "This model's maximum context length is 262144 tokens. However, your request has 1000010 input tokens. Please"
            " reduce the length of the input messages. None",
            400,
        ),
        1_000_010,
        262_144,
    ),
    (
        "Bedrock, of Nova",
        "openai",
        400,
        {
            "message": "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try"
            " again."
        },
        None,
        None,
    ),
    (
        "TabbyAPI",
        "openai",
        500,
        {"error": {"message": "ValueError: Request length 71599 + 2048 is greater than max_seq_len 65536"}},
        71_599,
        65_536,
    ),
    (
        "SambaNova",
        "openai",
        400,
        openai(
            "The maximum context length of DeepSeek-V3-0324 is 32768. However, answering your request will take 39732 tokens."
            " Please reduce the length of the messages or the specified max_completion_tokens value.",
            None,
        ),
        None,
        32_768,
    ),
    (
        "Cerebras",
        "openai",
        400,
        openai("Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000"),
        None,
        40_000,
    ),
    (
        "DeepInfra",
        "openai",
        500,
        {"error": {"message": "Requested input length 99009 exceeds maximum input length 8192"}},
        99_009,
        8_192,
    ),
    (
        "DashScope",
        "openai",
        400,
        openai(
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]", "invalid_parameter_error"
        ),
        None,
        983_616,
    ),
    (
        "Zhipu",
        "openai",
        400,
        {"error": {"code": "1261", "message": "Prompt exceeds max length"}},
        None,
        None,
    ),
]


@pytest.mark.parametrize(
    ("protocol", "status", "body", "said", "window"), [row[1:] for row in SAID], ids=[row[0] for row in SAID]
)
def test_each_server_is_understood(protocol: str, status: int, body: object, said: int | None, window: int | None) -> None:
    assert overflow(protocol, status, json.dumps(body).encode()) == Overflow(said, window)


def test_an_error_is_found_among_events_and_lines() -> None:
    said = json.dumps({"error": {"message": LM_STUDIO}})
    assert overflow("openai", 200, f"event: error\ndata: {said}\n\n".encode()) == Overflow(21_463, 4_096)
    assert overflow("openai", 200, f"error: {said}\n\n".encode()) == Overflow(21_463, 4_096)
    assert overflow("ollama", 200, b'{"message":{}}\n' + said.encode()) == Overflow(21_463, 4_096)
    assert overflow("openai", 400, b"upstream said: prompt is too long: 9000 tokens > 8000 maximum") == Overflow(9_000, 8_000)


def test_a_bare_status_that_some_servers_mean_so_is_an_overflow_that_is_not_certain() -> None:
    assert overflow("openai", 413, b"") == overflow("openai", 400, b" ") == Overflow(certain=False)
    assert overflow("anthropic", 413, b"") is None
    assert overflow("openai", 500, b"") is None


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (413, anthropic("Request exceeds the maximum allowed number of bytes.", "request_too_large")),
        (413, "<html><h1>413 Request Entity Too Large</h1></html>"),
        (429, anthropic("This request would exceed your organization's rate limit of 40,000 input tokens per minute")),
        (
            429,
            openai(
                "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41000.", "rate_limit_exceeded"
            ),
        ),
        (413, openai("Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000, reduce", None)),
        (400, {"message": "Too many tokens, please wait before trying again."}),
        (400, openai("prompt is too long: you exceeded your quota", None)),
        (400, openai("max_tokens must be <= 4096", None)),
        (
            400,
            {
                "error_type": "TOO_MANY_TOKENS",
                "message": "too many tokens: max tokens must be less than or equal to 4096, the maximum output length for this"
                " model - received 1000000.",
            },
        ),
        (400, openai("max_tokens is too large: 200000. This model supports at most 16384 completion tokens", None)),
        (400, openai("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]", None)),
        (
            400,
            openai("max_completion_tokens is too large: 262144. This model supports at most 256000 completion tokens.", None),
        ),
        (400, openai("`max_new_tokens` must be <= 512. Given: 1000", None)),
        (429, {"message": "too many tokens: total number of tokens cannot exceed 4096 - received 9000"}),
        (429, openai("Tokens per minute limit exceeded - too many tokens processed.", "token_quota_exceeded")),
        (500, {"error": {"message": "KV cache is full, please wait", "code": 500}}),
        (400, openai("Invalid parameter: messages with role 'tool' must be a response to a preceeding message", None)),
        (400, anthropic("`max_tokens` must be greater than `thinking.budget_tokens`")),
        (401, openai("prompt is too long: 9 tokens > 8 maximum", "invalid_api_key")),
        (500, {"error": {"message": "boom", "type": "server_error", "code": 500}}),
        (422, {"detail": [{"loc": ["body", "messages"], "input": "prompt is too long"}]}),
        (200, {"choices": [{"index": 0, "delta": {"content": "prompt is too long: 9 tokens > 8 maximum"}}]}),
        (200, {"type": "response.completed", "response": {"error": None, "output": "context_length_exceeded"}}),
        (400, []),
        (400, 7),
    ],
)
def test_what_is_no_overflow_is_none(status: int, body: object) -> None:
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    assert overflow("openai", status, data) is None


@pytest.mark.parametrize(
    "message",
    [
        "invalid tool schema in: 'docs say maximum context length is 2000 tokens'",
        "1 validation error: input_value='it's said: prompt is too long: 9999 tokens > 4096 maximum'",
        "cannot parse 'Range of input length should be [1, 6000]' as a schema",
        'bad content: "Prompt exceeds max length"',
        'Unknown role in {"role": "robot", "content": "maximum context length is 2000 tokens"}',
        "Could not parse “the prompt is too long: 9999, model maximum context length: 4095” as JSON",
        "messages: " + "many words " * 40 + "prompt is too long: 9999 tokens > 4096 maximum",
    ],
)
def test_words_that_an_error_quotes_are_not_its_own(message: str) -> None:
    assert overflow("openai", 400, json.dumps(openai(message, None)).encode()) is None


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 0 tokens. However, your messages resulted in 9999 tokens.",
        "This model's maximum context length is 1,023 tokens.",
        "prompt is too long: 3000 tokens > 4096 maximum",
    ],
)
def test_numbers_that_cannot_be_so_are_not_read(message: str) -> None:
    assert overflow("openai", 400, json.dumps(openai(message)).encode()) == Overflow()


@given(st.binary(max_size=200), st.sampled_from([200, 400, 413, 500]))
def test_no_bytes_make_it_fail(body: bytes, status: int) -> None:
    overflow("openai", status, body)


@dataclass(frozen=True)
class Came:
    """An answer."""

    empty: bool = False
    error: object | None = None


def sent(tokens: int | None, window: int | None = None, body: bytes = b"{}", kind: str = "generate") -> Exchange:
    return Exchange(
        id="1",
        method="POST",
        path="/api/chat",
        query="",
        headers=(),
        endpoint=Endpoint(protocol="ollama", kind="generate" if kind == "generate" else "count"),
        upstream=Upstream(name="local", url="http://127.0.0.1:11434"),
        body=body,
        window=window,
        tokens_after=tokens,
    )


def test_a_count_far_below_what_was_sent_is_an_overflow_nobody_spoke_of() -> None:
    body = b'{"content":"' + b"many words " * 4_000 + b'"}'
    assert weight(sent(None, body=body)) > 8_500
    assert silent(sent(9_000, body=body), Reported(input_tokens=4_000), Came())
    assert not silent(sent(9_000, body=body), Reported(input_tokens=7_000), Came())
    assert not silent(sent(1_900, body=body), Reported(input_tokens=20), Came()), "too little to tell"
    assert not silent(sent(9_000, body=body), Reported(input_tokens=0), Came()), "nothing was counted"
    assert not silent(sent(9_000, body=body, kind="count"), Reported(input_tokens=4_000), Came())
    assert not silent(sent(9_000, body=body), Reported(input_tokens=4_000), Came(error="broke"))


def test_a_count_far_below_an_estimate_that_the_bytes_do_not_bear_out_is_none() -> None:
    body = b'{"content":"' + b"many words " * 1_500 + b'"}'
    assert not silent(sent(9_000, body=body), Reported(input_tokens=3_000), Came()), "what was learnt of the model is wrong"
    assert silent(sent(9_000, body=body), Reported(input_tokens=1_200), Came())


def test_what_the_upstream_counted_a_turn_before_tells_a_small_cut_too() -> None:
    assert silent(sent(9_000), Reported(input_tokens=7_000), Came(), expected=8_600)
    assert not silent(sent(12_000), Reported(input_tokens=8_500), Came(), expected=8_600)


def test_an_empty_answer_near_the_window_is_an_overflow() -> None:
    assert silent(sent(8_000, 8_192), None, Came(empty=True))
    assert silent(sent(3_000, 8_192), Reported(input_tokens=8_100), Came(empty=True)), "it weighed more than was thought"
    assert not silent(sent(8_000, 8_192), None, Came())
    assert not silent(sent(4_000, 8_192), None, Came(empty=True))
    assert not silent(sent(8_000), None, Came(empty=True)), "near what?"


def test_what_is_not_ascii_weighs_the_same_however_it_is_written() -> None:
    text = {"content": "这是一个很长的中文对话，里面有很多内容。😀 И немного по-русски. " * 200}
    plain, escaped = (sent(None, body=json.dumps(text, ensure_ascii=ascii_only).encode()) for ascii_only in (False, True))
    assert weight(escaped) == pytest.approx(weight(plain), rel=0.1)
    assert not silent(escaped, Reported(input_tokens=weight(plain) * 3 // 4), Came())


def test_a_window_supposed_is_less_than_what_was_refused_and_one_that_makes_sense() -> None:
    assert supposed(30_000) == 20_000
    assert supposed(3_000) is None


def test_pictures_are_no_text_when_nothing_was_estimated() -> None:
    picture = b'{"content":"' + b"QUJD" * 20_000 + b'"}'
    assert not silent(sent(None, body=picture), Reported(input_tokens=300), Came())
    assert silent(sent(None, body=b'{"content":"' + b"many words " * 4_000 + b'"}'), Reported(input_tokens=3_000), Came())
