import {
  listItems,
  type ModelProtocol,
  readText,
  type ToolUse,
  toEventStream,
} from "./stub-model.ts";

/** The Chat Completions API. */
export const opencodeModel: ModelProtocol = {
  isQuestion: (pathname) => pathname === "/v1/chat/completions",

  listTools: ({ tools }) => listItems(tools).map((tool) => `${Object(tool.function).name}`),

  listResults: ({ messages }) =>
    listItems(messages).flatMap(({ role, content }) =>
      role === "tool" ? [readText(content)] : [],
    ),

  answer(uses) {
    const delta = uses.length > 0 ? { tool_calls: uses.map(toCall) } : { content: "Done." };
    const finish = uses.length > 0 ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const events = [
      toChunk({ role: "assistant", ...delta }, null),
      { ...toChunk({}, finish), usage },
    ];
    return toEventStream(events);
  },
};

function toChunk(delta: object, finish: string | null) {
  const kind = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 0, model: "stub" };
  return { ...kind, choices: [{ index: 0, delta, finish_reason: finish }] };
}

function toCall({ name, input }: ToolUse, index: number) {
  const call = { name, arguments: JSON.stringify(input) };
  return { index, id: `call_${crypto.randomUUID()}`, type: "function", function: call };
}
