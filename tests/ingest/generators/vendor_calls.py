"""Requests and responses as the SDKs of Anthropic and OpenAI write them with `model_dump`, from bodies that their own types accept."""

import json

from anthropic.types import Message
from openai.types.responses import Response

from tests.ingest.platforms import ANTHROPIC, RESPONSES


def main() -> None:
    for call in ANTHROPIC:
        print("anthropic", Message.model_validate(call["response"]).model_dump_json())
    for call in RESPONSES:
        print("responses", json.dumps(Response.model_validate(call["response"]).model_dump(mode="json", exclude_unset=True)))


if __name__ == "__main__":
    main()
