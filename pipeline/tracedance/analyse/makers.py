"""Who made a model, told from its name: judges favour, and traces come from, makers rather than versions."""

import re

_MAKERS = (
    ("anthropic", r"claude|anthropic"),
    ("openai", r"gpt|chatgpt|codex|davinci|o[134](?:-mini|-pro|-preview)?$|openai"),
    ("google", r"gemini|gemma|palm|bison|google"),
    ("deepseek", r"deepseek"),
    ("alibaba", r"qwen|qwq|tongyi"),
    ("zhipu", r"glm|zhipu|zai\b|z-ai"),
    ("moonshot", r"kimi|moonshot"),
    ("bytedance", r"doubao|seed-?\d|seed-oss|bytedance"),
    ("minimax", r"minimax|abab"),
    ("mistral", r"mistral|mixtral|codestral|devstral|magistral|ministral|pixtral"),
    ("meta", r"llama|meta-"),
    ("xai", r"grok|xai"),
    ("microsoft", r"phi-?\d|microsoft"),
    ("amazon", r"nova-|titan-|amazon"),
    ("cohere", r"command-?[ar]|cohere"),
    ("nvidia", r"nemotron"),
)
_KNOWN = tuple((maker, re.compile(rf"(?:^|[^a-z])(?:{pattern})")) for maker, pattern in _MAKERS)


def maker(model: str) -> str:
    """The maker of a model by the name it is called by; a name that says nothing stands for itself.

    The model's own name decides before its provider's: `azure/gpt-5`, `openrouter/anthropic/claude-opus-4` and an OpenAI-compatible
    server that offers `openai/qwen3` are told right.
    """
    parts = model.lower().split("/")
    for part in reversed(parts):
        for name, pattern in _KNOWN:
            if pattern.search(part):
                return name
    return model.lower()


def same_model(one: str, other: str) -> bool:
    """Whether two ids name one model, whatever route leads to it."""
    return one.lower().rpartition("/")[2] == other.lower().rpartition("/")[2]
