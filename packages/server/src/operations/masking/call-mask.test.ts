import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { toHubError } from "../../errors.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { createMask } from "../../secrets/masks/mask.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import type { ProgressReport } from "../operations.ts";
import { openTestOperations, testUserId, toTestCall } from "../testing/open-test-operations.ts";
import { createCallMask } from "./call-mask.ts";

/** Values that a connector names, and quotes in all its output. */
const named = (count: number) => Array.from({ length: count }, (_, at) => `named-secret-${at}`);

const connector = defineConnector({
  key: "vault",
  name: "Vault",
  icon: "lock",
  tier: "builtin",
  description: "Lists secrets.",
  config: { Token: wick("secret;required"), Count: wick.int("default=0") },
  operations: {
    list: {
      description: "Names secrets and answers with them.",
      input: { Count: wick.int("required"), Text: wick(""), Fail: wick.bool("") },
      run({ params, mask, progress, log }) {
        const values = named(Number(params.Count));
        for (const value of values) mask(value);
        progress(1, 1, `found ${values.at(-1)}`);
        log.warn(`found ${values.at(-1)}`, { values: values.slice(-1) });
        if (params.Fail === true) throw new Error(`fails with ${values.at(-1)}`);
        return { values };
      },
    },
    fold: {
      description: "Names a value in any case.",
      input: { Data: wick.json("") },
      run({ maskIgnoreCase }) {
        maskIgnoreCase("Held-Value-7");
        return "folded";
      },
    },
    take: {
      description: "Takes what it is given.",
      input: { Data: wick.json(""), Password: wick("secret") },
      run: () => "taken",
    },
  },
  health({ config, mask }) {
    const values = named(Number(config.Count ?? 0));
    for (const value of values) mask(value);
    return { ok: false, reason: `refused ${values.at(-1)}` };
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;
beforeAll(async () => {
  hub = await openTestOperations(connector);
  rowId = await hub.addRow({ tags: ["team"], secrets: { token: "row-secret-1-9fK2xQ7vLm4R" } });
});
afterAll(() => hub.close());

async function call(operation: string, params: Record<string, unknown>) {
  const reports: ProgressReport[] = [];
  const ctx = toTestCall(["team"], { reports });
  const outcome = await hub.operations.calls
    .call(ctx, { toolId: `conn:${rowId}/${operation}`, params })
    .then(({ value, text }) => ({ value, text }), toHubError);
  const [run] = await hub.listRuns();

  return { outcome, reports, run };
}

const seal = (text: string) =>
  sealValue(hub.ring.current(), { userId: testUserId, rowId: null }, text);
const tokens = (count: number) => Array.from({ length: count }, (_, at) => seal(`value ${at}`));

describe("the secrets of a request", () => {
  test("A request may contain 100 secrets including those of the row; 101 are refused", async () => {
    expect((await call("take", { data: tokens(99) })).outcome).toMatchObject({ value: "taken" });
    const refused = await call("take", { data: tokens(100) });
    expect(refused.outcome).toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining("at most 100 secret values"),
    });
    expect(refused.run).toMatchObject({ status: "error", errorCode: "invalid_params" });
  });

  test("Each value counts once, however often it occurs", async () => {
    const data = Array(5_000).fill(seal("one value"));
    expect((await call("take", { data })).outcome).toMatchObject({ value: "taken" });
  });

  test("Values of secret fields count too, and are not recorded in plaintext when the call is refused", async () => {
    const password = Array.from({ length: 200 }, (_, at) => `typed-in-plain-${at}`);
    const { outcome, run } = await call("take", { password });
    expect(outcome).toMatchObject({ code: "invalid_params" });
    expect(JSON.stringify(run)).not.toContain("typed-in-plain");
  });

  test("Opening tokens stops at the limit: 20,000 tokens cost as much as 101", async () => {
    const opened: string[] = [];
    const mask = createMask({ ring: hub.ring.current(), userId: testUserId, enabled: true });
    const { mask: limited } = createCallMask(mask, {
      onAdd: () => opened.push("one"),
      addSecretChars() {},
    });
    expect(() => {
      for (let at = 0; at < 20_000; at += 1) limited.addSecret(`value ${at}`);
    }).toThrow(/at most 100/);
    expect(opened).toHaveLength(100);
  });
});

describe("a connector that names too many secrets", () => {
  test("Answer, progress and log of a call with too many secrets are replaced by an error text, never passed through", async () => {
    const { outcome, reports, run } = await call("list", { count: 150, text: "named-secret-149" });
    expect(outcome).toMatchObject({
      value: { _left_out: expect.stringContaining("more than 100") },
    });
    expect(run).toMatchObject({ status: "success", requestCut: true });
    const output = JSON.stringify([outcome, reports, run, hub.logged]);
    expect(output).not.toContain("named-secret-149");
  });

  test("The failure of a call with too many secrets is replaced by the same error text", async () => {
    const { outcome, run } = await call("list", { count: 150, fail: true });
    expect(outcome).toMatchObject({ message: expect.stringContaining("more than 100") });
    expect(JSON.stringify([outcome, run, hub.logged])).not.toContain("named-secret-149");
  });

  test("A health check with too many secrets fails, since its answer cannot be replaced by a text", async () => {
    const crowded = await hub.addRow({
      tags: ["team"],
      values: { count: "150" },
      secrets: { token: "row-secret-1-9fK2xQ7vLm4R" },
    });
    const asked = hub.operations.rows.health(toTestCall(["team"]), crowded);
    await expect(asked).rejects.toMatchObject({
      code: "upstream_error",
      message: expect.stringContaining("more than 100"),
    });
  });

  test("A connector that names 99 secrets gets its answer through", async () => {
    const { outcome } = await call("list", { count: 99 });
    expect(outcome).toMatchObject({ value: { values: expect.any(Array) } });
    expect(JSON.stringify(outcome)).not.toContain("named-secret");
  });
});

describe("tokens of the hub in a call", () => {
  const hubToken = (at: number) => `hub_pat_${at.toString(16).padStart(32, "0")}`;

  test("A thousand hub tokens in a call are removed by their form and do not count as secrets", async () => {
    const added: string[] = [];
    const ring = createKeyRing([new Uint8Array(32).fill(9)]);
    const inner = createMask({ ring, userId: testUserId, enabled: true });
    const spied = Object.assign(inner, { addSecret: (text: string) => void added.push(text) });
    const { mask, recordHubTokens, secrets } = createCallMask(spied, {
      onAdd() {},
      addSecretChars() {},
    });
    const query = Array.from({ length: 8_000 }, (_, at) => hubToken(at)).join(" ");
    recordHubTokens({ query });
    expect(mask.sealText(query)).toBe(Array(8_000).fill("hub_pat_[removed]").join(" "));
    expect([added, secrets]).toEqual([[], []]);
  });

  test("Hub tokens are never recorded, and a request that contained one cannot be replayed", async () => {
    const { outcome, run } = await call("take", { data: { [hubToken(1)]: [hubToken(2)] } });
    expect(outcome).toMatchObject({ value: "taken" });
    expect(run).toMatchObject({ requestCut: true });
    expect(run?.request).toContain("hub_pat_[removed]");
    expect(run?.request).not.toContain("0000000");
  });

  test("Hub tokens in a secret field are sealed like every secret, and can be replayed", async () => {
    const { run } = await call("take", { password: hubToken(3) });
    expect(run).toMatchObject({ requestCut: false });
    expect(run?.request).toContain("hub_enc_");
    expect(run?.request).not.toContain(hubToken(3));
  });
});

test("A value of the request is sealed in every case of its letters, also in the record, once the connector names it with ignoreCase", async () => {
  await call("fold", { data: [seal("Held-Value-7"), "held-value-7"] });
  const [run] = await hub.listRuns();
  expect(run?.request).not.toContain("held-value-7");
});
