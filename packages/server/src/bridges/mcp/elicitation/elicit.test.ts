/** Protects: a question that was not passed on hides no failure of another call of the same session. */
import { afterEach, expect, test } from "bun:test";
import { openTestBridge } from "../testing/open-test-bridge.ts";
import { serveMcp, streamEvents } from "../testing/serve-mcp.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const question = {
  jsonrpc: "2.0",
  id: "question",
  method: "elicitation/create",
  params: { message: "Who?", requestedSchema: { type: "object", properties: {} } },
};
const toError = (text: string) => ({ isError: true, content: [{ type: "text", text }] });

/** The tool `ask` asks once all of these tools are called. They fail after the answer. */
function openAsking(tools: readonly string[]) {
  const { promise: called, resolve: begin } = Promise.withResolvers<void>();
  const server = serveMcp({
    callTool: (name, { id }) =>
      streamEvents(async (send) => {
        if (server.ofMethod("tools/call").length === tools.length) begin();
        await called;
        if (name === "ask") await send(question);
        while (!server.received.some((message) => message.id === question.id)) await Bun.sleep(1);
        await send({ jsonrpc: "2.0", id, result: toError(`No page for ${name}.`) });
      }),
  });
  closers.push(server.close);
  const bridge = openTestBridge();
  closers.push(bridge.close);
  const shows = { form: true, url: true };
  const elicit = { shows, ask: async () => ({ refused: "It is not shown." }) };
  return tools.map((tool) =>
    bridge.callTool({ url: server.url }, tool, {}, { elicit }).then(
      () => "it resolved",
      ({ message }: Error) => message,
    ),
  );
}

test("A call whose question was not passed on fails for that reason", async () => {
  expect(await Promise.all(openAsking(["ask"]))).toEqual([
    "The MCP server asks the user a question before it answers, which was not passed on. It is not shown.",
  ]);
});

test("Of two calls in one session, each keeps its own failure, and says that a question was not passed on", async () => {
  const failures = await Promise.all(openAsking(["ask", "find"]));
  const meanwhile =
    "Meanwhile the server asked its user a question. The hub cannot say whose call it is about, so it is not shown.";
  expect(failures).toEqual([
    `The tool failed: No page for ask. ${meanwhile}`,
    `The tool failed: No page for find. ${meanwhile}`,
  ]);
});
