"""Lines as Ollama sends them."""

AT = "2025-03-20T18:32:42.590997123Z"


def line(content="", *, thinking=None, calls=None, **more):
    spoken = {"role": "assistant", "content": content}
    if thinking is not None:
        spoken["thinking"] = thinking
    if calls is not None:
        spoken["tool_calls"] = calls
    return {"model": "qwen3:8b", "created_at": AT, "message": spoken, "done": False, **more}


def generated(text="", **more):
    return {"model": "llama3", "created_at": AT, "response": text, "done": False, **more}


def call(name, arguments, **more):
    return {"function": {"name": name, "arguments": arguments}, **more}


COUNTS = {
    "total_duration": 900,
    "load_duration": 100,
    "prompt_eval_count": 9,
    "prompt_eval_duration": 200,
    "eval_count": 4,
    "eval_duration": 300,
}
DONE = line(done=True, done_reason="stop", **COUNTS)
