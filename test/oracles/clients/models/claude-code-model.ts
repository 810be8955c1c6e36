import {
  listItems,
  type ModelProtocol,
  readText,
  type ToolUse,
  toEventStream,
} from "./stub-model.ts";

/** The Messages API. */
export const claudeCodeModel: ModelProtocol = {
  isQuestion: (pathname) => pathname === "/v1/messages",

  listTools: ({ tools }) => listItems(tools).map(({ name }) => `${name}`),

  listResults: ({ messages }) =>
    listItems(messages)
      .flatMap(({ content }) => listItems(content))
      .flatMap(({ type, content }) => (type === "tool_result" ? [readText(content)] : [])),

  answer(uses, { body }) {
    const blocks = toBlocks(uses);
    const message = { ...toMessage(`${body.model}`), content: blocks };
    const stopReason = uses.length > 0 ? "tool_use" : "end_turn";
    return body.stream === true
      ? toStream(`${body.model}`, blocks, stopReason)
      : Response.json({ ...message, stop_reason: stopReason });
  },
};

type Block = { type: string; input?: unknown; text?: string };

function toBlocks(uses: readonly ToolUse[]): Block[] {
  if (uses.length === 0) return [{ type: "text", text: "Done." }];
  return uses.map((use) => ({ type: "tool_use", id: `toolu_${crypto.randomUUID()}`, ...use }));
}

function toMessage(model: string) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const kind = { id: `msg_${crypto.randomUUID()}`, type: "message", role: "assistant" };
  return { ...kind, model, content: [], stop_reason: null, stop_sequence: null, usage };
}

/** The events of a streamed message. */
function toStream(model: string, blocks: readonly Block[], stopReason: string): Response {
  const events: object[] = [{ type: "message_start", message: toMessage(model) }];
  for (const [index, block] of blocks.entries()) {
    const isText = block.type === "text";
    const start = isText ? { ...block, text: "" } : { ...block, input: {} };
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    events.push(
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    );
  }
  const usage = { output_tokens: 1 };
  events.push(
    { type: "message_delta", delta: { stop_reason: stopReason, stop_sequence: null }, usage },
    { type: "message_stop" },
  );
  return toEventStream(events, (event) => `${Object(event).type}`);
}
