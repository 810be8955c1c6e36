export type ToolUse = { name: string; input: Record<string, unknown> };

/** A model that answers the first question with these uses of tools at once, and then ends its turn. */
export function startClaudeCodeModel(uses: readonly ToolUse[]) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(req) {
      const { pathname } = new URL(req.url);
      if (req.method !== "POST" || pathname !== "/v1/messages") {
        return Response.json({ input_tokens: 1 });
      }
      const { tools = [], messages, stream, model } = Object(await req.json());
      const isAnswered = JSON.stringify(messages).includes('"tool_result"');
      // The client also asks short questions without tools, such as for a title.
      const used = tools.length > 0 && !isAnswered ? uses : [];
      const content = used.map((use, at) => ({ type: "tool_use", id: `toolu_${at}`, ...use }));
      const blocks = content.length > 0 ? content : [{ type: "text", text: "Done." }];
      const stopReason = content.length > 0 ? "tool_use" : "end_turn";
      return stream === true
        ? toStream(model, blocks, stopReason)
        : Response.json({ ...toMessage(model), content: blocks, stop_reason: stopReason });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

type Block = { type: string; input?: unknown; text?: string };

function toMessage(model: string) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const kind = { id: "msg_1", type: "message", role: "assistant" };
  return { ...kind, model, content: [], stop_reason: null, stop_sequence: null, usage };
}

/** The events of a streamed message, as the Messages API sends them. */
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
  const text = events
    .map((event) => `event: ${Object(event).type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}
