/** A client over stdio is asked on its own connection, if it declared that it can be. */
import { expect, test } from "bun:test";
import { toPendingError } from "../../operations/pending/pending-error.ts";
import { ada, openTestMcp } from "../testing/open-test-mcp.ts";
import { execute, request } from "../testing/post-message.ts";
import { toFrame } from "../testing/read-reply.ts";
import { until } from "../testing/until.ts";

const url = "https://hub.example/approvals/calls/p1";

/** A client that has begun, of a hub whose operation waits for a form. */
async function connect(elicitation: Record<string, unknown> | null) {
  let isApproved = false;
  let state: "open" | "approved" = "open";
  const shown = {
    rowLabel: "prod",
    connectorKey: "codehost",
    connectorName: "Code host",
    operationName: "Close issue",
    description: "",
    isDestructive: false,
    params: {},
    account: null,
    accountId: null,
    rule: null,
    note: null,
  };
  const { mcp, ...rest } = openTestMcp({
    questions: {
      find: async () => ({ id: "p1", state, shown, isConfirmedByClient: true }),
      async decide(_ctx, _id, decision) {
        isApproved = decision === "approved";
        return true;
      },
    },
    async run() {
      if (isApproved) return { ran: true };
      throw toPendingError("approval_required", `Approve it: ${url}`, {
        pending_id: "p1",
        url,
        retry_after_s: 15,
        expires_at: "2026-11-28T00:00:00Z",
        decider: "you",
        reason: "approval",
        run_by_repeat: true,
      });
    },
  });
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const typing = input.writable.getWriter();
  const lines: string[] = [];
  const output = new WritableStream<Uint8Array>({
    write(chunk) {
      lines.push(...new TextDecoder().decode(chunk).split("\n").slice(0, -1));
    },
  });
  const served = mcp.serveStdio({ input: input.readable, output, findCaller: async () => ada });
  const send = (message: unknown) =>
    typing.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  const capabilities = elicitation === null ? {} : { elicitation };
  await send(request("initialize", { protocolVersion: "2025-11-25", capabilities }, 0));
  await until(() => lines.length === 1);
  return {
    ...rest,
    send,
    lines,
    /** As its user does on the page. */
    approveOnPage() {
      state = "approved";
      isApproved = true;
    },
    /** The next frame that the hub writes. */
    async next() {
      lines.length = 0;
      await until(() => lines.length > 0);
      return toFrame(lines[0] ?? "");
    },
    async closeInput() {
      await typing.close();
      await served;
      return toFrame(lines.at(-1) ?? "");
    },
  };
}

test("A form is answered on the same connection, and the call runs", async () => {
  const client = await connect({ form: {} });
  await client.send(execute());
  const asked = await client.next();
  expect(asked).toMatchObject({ method: "elicitation/create", params: { mode: "form" } });
  await client.send({ jsonrpc: "2.0", id: "hub-another", result: { action: "accept" } });
  await client.send({ jsonrpc: "2.0", id: asked.id, result: { action: "accept" } });
  expect((await client.next()).result.structuredContent).toEqual({ ran: true });
});

test("An error in answer to a form leaves the page", async () => {
  const client = await connect({ form: {} });
  await client.send(execute());
  const { id } = await client.next();
  await client.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "No." } });
  expect((await client.next()).result.isError).toBe(true);
});

test("A client that leaves without an answer ends its call", async () => {
  const client = await connect({ form: {} });
  await client.send(execute());
  await client.next();
  expect((await client.closeInput()).result.isError).toBe(true);
  // The question waits on its page, and no timer of the hub waits for the client.
  expect(client.timers.pending()).toBe(0);
});

test("A client that opens pages gets -32042, and one that declares nothing a result of the tool", async () => {
  const pages = await connect({ url: {} });
  await pages.send(execute());
  expect((await pages.next()).error).toMatchObject({ code: -32042 });
  const plain = await connect(null);
  await plain.send(execute());
  const { result } = await plain.next();
  expect(JSON.parse(result.content[0].text)).toMatchObject({ code: "approval_required", url });
});

test("A client that opens pages is told once when its user has finished there, and makes the call again", async () => {
  const client = await connect({ url: {} });
  await client.send(execute());
  expect((await client.next()).error.data).toMatchObject({
    elicitations: [{ elicitationId: "p1" }],
  });
  client.lines.length = 0;
  client.timers.advance(1_000);
  await until(() => client.timers.pending() === 1);
  expect(client.lines).toEqual([]);
  client.approveOnPage();
  client.timers.advance(1_000);
  await until(() => client.lines.length > 0);
  const method = "notifications/elicitation/complete";
  const frame = { jsonrpc: "2.0", method, params: { elicitationId: "p1" } };
  expect(client.lines.map((line) => JSON.parse(line))).toEqual([frame]);
  expect(client.timers.pending()).toBe(0);
  await client.send(execute());
  expect((await client.next()).result.structuredContent).toEqual({ ran: true });
});

test("No timer waits for the page of a client that has left, or that opens none", async () => {
  const client = await connect({ url: {} });
  await client.send(execute());
  await client.next();
  expect(client.timers.pending()).toBe(1);
  await client.closeInput();
  expect(client.timers.pending()).toBe(0);
  const plain = await connect({ form: {} });
  await plain.send(execute());
  const { id } = await plain.next();
  await plain.send({ jsonrpc: "2.0", id, error: { code: -32601, message: "No." } });
  await plain.next();
  expect(plain.timers.pending()).toBe(0);
});
