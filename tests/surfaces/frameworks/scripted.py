"""Models that call the tool and keep what it told them."""

from __future__ import annotations

import json
from typing import Any

from agents import Model, ModelResponse, Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from pydantic_ai.messages import ModelMessage, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.messages import ModelResponse as PydanticResponse
from pydantic_ai.models.function import AgentInfo


class Scripted(Model):
    """A model that calls the tool with a question, or with arguments as JSON, and then keeps what
    it was told."""

    def __init__(
        self, question: str = "", arguments: str = "", tool: str = "search_evidence"
    ) -> None:
        self.tool = tool
        self.arguments = arguments or json.dumps({"query": question, "where": ""})
        self.told = ""

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:  # noqa: A002
        outputs = [one for one in input if isinstance(one, dict) and one.get("output")]
        if not outputs:
            said: Any = ResponseFunctionToolCall(
                arguments=self.arguments,
                call_id="c1",
                name=self.tool,
                type="function_call",
            )
        else:
            self.told = str(outputs[-1]["output"])
            text = ResponseOutputText(annotations=[], text="done", type="output_text")
            said = ResponseOutputMessage(
                id="m1", content=[text], role="assistant", status="completed", type="message"
            )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def calls_the_tool(question: str, told: list[str]) -> Any:
    """A function for `FunctionModel`: it calls the tool, and notes what it was told."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> PydanticResponse:
        for part in messages[-1].parts:
            if isinstance(part, ToolReturnPart):
                told.append(str(part.content))
                return PydanticResponse([TextPart("done")])
        (tool,) = info.function_tools
        return PydanticResponse([ToolCallPart(tool.name, {"query": question})])

    return model
