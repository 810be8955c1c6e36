import { beforeEach, expect, test } from "bun:test";
import { defineConnector, OutboundError, UpstreamError, wick } from "@hub/connector";
import type { ConnectorCall } from "../../../connectors/connector-port.ts";
import { createLocalConnector } from "../../../connectors/local-connector.ts";
import { toToolId } from "../../../operations/catalogue/tool-id.ts";
import { toTestCall } from "../../../operations/testing/open-test-operations.ts";
import { openCallEngine } from "../testing/open-call-engine.ts";

/** The key that each call got. */
let keys: (string | undefined)[] = [];
beforeEach(() => {
  keys = [];
});
const failOnce = ({ idempotencyKey }: { idempotencyKey?: string }, failure: Error) => {
  keys.push(idempotencyKey);
  if (keys.length === 1) throw failure;
  return { ok: true };
};
const broken = new UpstreamError("The host answered 500.", { httpStatus: 500 });
const unsent = new OutboundError("network", "The host refused it.", { isUnsent: true });
const connector = defineConnector({
  key: "sender",
  name: "Sender",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: {},
  operations: {
    send: { description: "Sends.", destructive: true, run: (ctx) => failOnce(ctx, broken) },
    put: {
      description: "Sets a state.",
      destructive: true,
      idempotent: true,
      run: (ctx) => failOnce(ctx, broken),
    },
    tell: {
      description: "Returns the password of Basic credentials.",
      input: { Header: wick("") },
      run: ({ params }) =>
        Buffer.from((params.Header ?? "").slice(6), "base64")
          .toString("utf8")
          .split(":")[1],
    },
    reach: { description: "Sends.", destructive: true, run: (ctx) => failOnce(ctx, unsent) },
  },
});

async function runOperation(operation: string) {
  await using hub = await openCallEngine(connector);
  const rowId = await hub.calls.addRow({ tags: ["everyone"] });
  const toolId = toToolId(rowId, operation);
  const retry = { attempts: 2, backoff_s: 0 };
  const workflow = hub.addWorkflow({
    triggers: [{ id: "start", type: "manual", entry: "send" }],
    nodes: [{ id: "send", type: "operation", tool_id: toolId, retry }],
  });
  return await hub.untilParked(await hub.run(workflow));
}

test("A destructive operation is not repeated after a failure that may have had effects", async () => {
  const run = await runOperation("send");
  expect(run.state).toBe("waiting");
  expect(keys).toHaveLength(1);
});

test("An idempotent operation is repeated with the same key", async () => {
  const run = await runOperation("put");
  expect(run.state).toBe("succeeded");
  expect(keys).toEqual([`${run.id}:send:-1:0`, `${run.id}:send:-1:0`]);
});

test("A destructive operation is repeated if its request reached no server", async () => {
  expect(await runOperation("reach")).toMatchObject({ state: "succeeded" });
  expect(keys).toHaveLength(2);
});

test("Calls without effects have no idempotency key", async () => {
  await using hub = await openCallEngine(connector);
  const rowId = await hub.calls.addRow({ tags: ["everyone"] });
  const request = { toolId: toToolId(rowId, "put"), params: {} };
  const { calls } = hub.calls.operations;
  await expect(calls.call(toTestCall(), request)).rejects.toThrow("500");
  await calls.call(toTestCall(), request);
  expect(keys).toEqual([undefined, undefined]);
});

test("A call can read the owner as of later, so that the calls of its script act with the rights of that moment", async () => {
  let outer: ConnectorCall["outer"];
  const looking = { ...connector, key: "looking" };
  await using hub = await openCallEngine(connector);
  const local = createLocalConnector(looking, () => ({}));
  hub.calls.registry.register({
    ...local,
    async invoke(call) {
      outer = call.outer;
      return { ok: true };
    },
  });
  const rowId = await hub.calls.addRow({ connectorKey: "looking", tags: ["everyone"] });
  const workflow = hub.addWorkflow({
    triggers: [{ id: "start", type: "manual", entry: "tell" }],
    nodes: [{ id: "tell", type: "operation", tool_id: toToolId(rowId, "tell") }],
  });
  const run = await hub.untilParked(await hub.run(workflow));
  expect(run.state).toBe("succeeded");
  expect(await outer?.findCaller?.()).toMatchObject({ userId: run.ownerId });
});

test("The password of basicAuth is masked in the record of an operation that returns it", async () => {
  const password = "pass-word-4711";
  await using hub = await openCallEngine(connector);
  const rowId = await hub.calls.addRow({ tags: ["everyone"] });
  const params = { header: '{{basicAuth "ann" .Secret.PASSWORD}}' };
  const node = { id: "tell", type: "operation" as const, tool_id: toToolId(rowId, "tell"), params };
  const workflow = hub.addWorkflow(
    { triggers: [{ id: "start", type: "manual", entry: "tell" }], nodes: [node] },
    { secrets: async () => new Map([["PASSWORD", password]]) },
  );
  const run = await hub.untilParked(await hub.run(workflow));
  expect(run.outputs.tell).toStartWith("hub_enc_");
  const kept = JSON.stringify([run, await hub.calls.listRuns()]);
  expect(kept).not.toContain(password);
});
