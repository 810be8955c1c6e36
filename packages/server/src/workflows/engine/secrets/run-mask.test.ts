import { expect, test } from "bun:test";
import { defineConnector, type Json, wick } from "@hub/connector";
import { toToolId } from "../../../operations/catalogue/tool-id.ts";
import { createKeyRing } from "../../../secrets/keys/key-ring.ts";
import { sealValue } from "../../../secrets/value-tokens/value-tokens.ts";
import { readRunEvent } from "../../../store/workflow-runs/workflow-runs-table.ts";
import { openCallEngine } from "../testing/open-call-engine.ts";
import { openEngine, owner } from "../testing/open-engine.ts";
import { createRunMask, runSecretsMax } from "./run-mask.ts";
import type { SealLarge } from "./seal-large.ts";

const rowSecret = "row-secret-value-9fK2xQ7vLm4R";
const userSecret = "user-secret-value-88";

/** Connectors of two rows. The one does not know the secrets that it answers. */
let answer: () => unknown = () => null;
const vault = defineConnector({
  key: "vault",
  name: "Vault",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: { Token: wick("secret") },
  operations: {
    use: { description: "Takes a value.", input: { Value: wick("") }, run: () => ({ ok: true }) },
  },
});
const parrot = defineConnector({
  key: "parrot",
  name: "Parrot",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: {},
  operations: { tell: { description: "Tells.", input: {}, run: () => answer() } },
});

async function openVault() {
  const hub = await openCallEngine(vault, { operations: { others: [parrot] } });
  const secrets = { token: rowSecret };
  const vaultId = await hub.calls.addRow({ tags: ["everyone"], secrets });
  const parrotId = await hub.calls.addRow({ tags: ["everyone"], connectorKey: "parrot" });
  const token = sealValue(
    hub.calls.ring.current(),
    { userId: owner.userId, rowId: null },
    userSecret,
  );
  const workflow = hub.addWorkflow({
    triggers: [{ id: "start", type: "manual", entry: "use" }],
    nodes: [
      {
        id: "use",
        type: "operation",
        tool_id: toToolId(vaultId, "use"),
        params: { value: "{{.Event.Payload.token}}" },
      },
      { id: "tell", type: "operation", tool_id: toToolId(parrotId, "tell") },
      { id: "copy", type: "set", value: "{{.Node.tell}}" },
    ],
    edges: [
      { from: "use", to: "tell" },
      { from: "tell", to: "copy" },
    ],
  });
  const start = async (engine = hub.engine) => {
    const plan = await engine.plans.load(workflow.publishedBodyId ?? "");
    const trigger = { id: "start", type: "manual" as const, entry: "use" };
    const facts = { workflow, plan, version: 1, trigger, startedBy: "test", starterIds: [] };
    return (await engine.accept({ ...facts, payload: { token } })).runId;
  };
  return { hub, token, start };
}

test("A later step that echoes a secret of a row or of a token does not show it", async () => {
  const { hub, token, start } = await openVault();
  await using _ = hub;
  answer = () => ({ row: `is ${rowSecret}`, user: userSecret });
  const run = await hub.untilParked(await start());
  expect(run.state).toBe("succeeded");
  expect(run.outputs.tell.user).toBe(token);
  expect(run.outputs.tell.row).toStartWith("is hub_enc_");
  expect(run.outputs.copy).toEqual(run.outputs.tell);
  const kept = JSON.stringify(run);
  expect(kept).not.toContain(rowSecret);
  expect(kept).not.toContain(userSecret);
});

test("A run that goes on in another process still masks what it has met", async () => {
  const { hub, start } = await openVault();
  await using _ = hub;
  const { promise: told, resolve: resolveTold } = Promise.withResolvers<void>();
  answer = () => {
    resolveTold();
    return new Promise(() => {});
  };
  const stopping = hub.openAnother();
  const runId = await start(stopping);
  await told;
  answer = () => ({ row: rowSecret, user: userSecret });
  await stopping.stop();
  const run = await hub.untilParked(runId);
  expect(run.state).toBe("succeeded");
  const kept = JSON.stringify(run);
  expect(kept).toContain("hub_enc_");
  expect(kept).not.toContain(rowSecret);
  expect(kept).not.toContain(userSecret);
});

test("A run has a limited number of secrets", () => {
  const ring = createKeyRing([new Uint8Array(32).fill(7)]);
  const mask = createRunMask({
    ring,
    userId: owner.userId,
    enabled: true,
    rowTokens: "bound",
    sealLarge: async (_, __, value) => value,
  });
  for (let at = 0; at < runSecretsMax; at += 1) mask.addSecret(`secret number ${at}`);
  mask.addSecret("secret number 0");
  expect(() => mask.addSecret("one more secret")).toThrow("more than 500 secret values");
});

test("Encrypted values in the body, and those that another node returned, are passed on as a whole", async () => {
  const { hub, token } = await openVault();
  await using _ = hub;
  const vaultId = await hub.calls.addRow({ tags: ["everyone"], secrets: { token: rowSecret } });
  const other = sealValue(
    hub.calls.ring.current(),
    { userId: owner.userId, rowId: null },
    `${userSecret} of another day`,
  );
  const use = (id: string, value: string) => {
    const toolId = toToolId(vaultId, "use");
    return { id, type: "operation" as const, tool_id: toolId, params: { value } };
  };
  const workflow = hub.addWorkflow({
    triggers: [{ id: "start", type: "manual", entry: "make" }],
    nodes: [
      { id: "make", type: "set", value: `${token} and {{.Env.token}}` },
      use("whole", "Bearer {{.Node.make}}"),
      use("parts", `${other.slice(0, 5)}{{"${other.slice(5)}"}}`),
    ],
    edges: [
      { from: "make", to: "whole" },
      { from: "whole", to: "parts" },
    ],
    settings: { env: { token } },
  });
  const run = await hub.untilParked(await hub.run(workflow));
  expect(run.outputs.whole).toEqual({ ok: true });
  expect(run.error).toMatchObject({ code: "invalid_params", node_id: "parts" });
});

test("Large events and outputs are sealed off the event loop, and inputs are cut before they are sealed", async () => {
  const sealed: number[] = [];
  const sealLarge: SealLarge = async (_, mask, value) => {
    sealed.push(JSON.stringify(value).length);
    return mask.sealJson(value) as Json;
  };
  await using hub = await openEngine(undefined, () => ({ sealLarge }));
  const secrets = async () => new Map([["KEY", userSecret]]);
  const copy = { id: "copy", type: "set" as const, value: "{{.Event.Payload}}" };
  const workflow = hub.addWorkflow(
    { triggers: [{ id: "start", type: "manual", entry: "copy" }], nodes: [copy] },
    { secrets },
  );
  const ran = async (chars: number) => {
    const payload = { text: `${"x".repeat(chars)} ${userSecret}` };
    const run = await hub.untilParked(await hub.run(workflow, { payload }));
    expect(JSON.stringify([run, await readRunEvent(hub.store.db, run.id)])).not.toContain(
      userSecret,
    );
    return run;
  };
  await ran(1000);
  expect(sealed).toEqual([]);
  const { steps } = await ran(300_000);
  expect(sealed).toHaveLength(2);
  expect(steps[0]?.input?.length).toBeLessThan(65_536);
});
