import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { setOperationState } from "../../store/rows/switches.ts";
import type { CallContext, MessageCause } from "../operations.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const connector = defineConnector({
  key: "tracker",
  name: "Tracker",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: { Token: wick("secret") },
  operations: {
    get: {
      description: "Reads an issue.",
      input: { Number: wick.int("required"), State: wick("dropdown=open|closed") },
      run: () => ({}),
    },
    off: {
      description: "Is switched off.",
      input: { Number: wick.int("required") },
      run: () => ({}),
    },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;
let weakId: string;
const ctx = toTestCall(["red"]);

beforeAll(async () => {
  hub = await openTestOperations(connector);
  rowId = await hub.addRow({ tags: ["red"], label: "Shop" });
  weakId = await hub.addRow({ tags: ["red"], label: "Weak", secrets: { token: "open" } });
  await setOperationState(hub.store.db, rowId, "off", false, Date.now());
});
afterAll(() => hub.close());

async function fail(key: string, of: Partial<CallContext> = {}, row = rowId): Promise<HubError> {
  const toolId = `conn:${row}/${key}`;
  const call = hub.operations.calls.call({ ...ctx, ...of }, { toolId, params: { number: "x" } });
  const thrown = await call.then(
    () => null,
    (err: unknown) => err,
  );
  if (!(thrown instanceof HubError)) throw new Error(`No failure: ${thrown}`);
  return thrown;
}

describe("invalid params", () => {
  test("They are answered with the schema that hub_get returns, and recorded without it", async () => {
    const { code, detail, message } = await fail("get");
    const { input_schema: schema } = await hub.operations.catalogue.get(
      ctx.caller,
      `conn:${rowId}/get`,
    );
    expect(code).toBe("invalid_params");
    expect(detail).toEqual({
      issues: [expect.objectContaining({ path: "number" })],
      input_schema: schema,
    });
    const [run] = await hub.listRuns(1);
    expect([run?.errorMsg, run?.response]).toEqual([message, null]);
  });

  test("Tests of a row and calls of a person who tries it are answered with it too", async () => {
    const request = { toolId: `conn:${rowId}/get`, params: {} };
    const admin = { ...ctx, caller: { ...ctx.caller, role: "admin" as const } };
    for (const make of [
      () => hub.operations.rows.test(admin, request),
      () => hub.operations.calls.tryOut(admin, request),
    ]) {
      await expect(make()).rejects.toMatchObject({ detail: { input_schema: { type: "object" } } });
    }
  });

  test("The schema is what it is also if a weak secret of the row equals a word in it", async () => {
    const { detail } = await fail("get", {}, weakId);
    const { input_schema: schema } = await hub.operations.catalogue.get(
      ctx.caller,
      `conn:${weakId}/get`,
    );
    expect(JSON.stringify(schema)).toContain('"open"');
    expect(detail.input_schema).toEqual(schema);
  });

  test("A call that is not admitted gets no schema", async () => {
    const refused = [
      await fail("off"),
      await fail("get", { caller: { ...ctx.caller, tags: new Set() } }),
    ];
    for (const { code, detail } of refused) {
      expect(code).not.toBe("invalid_params");
      expect(detail).not.toHaveProperty("input_schema");
    }
  });

  test("The calls of one message or script get the schema of an operation once, those of a workflow never", async () => {
    const cause: MessageCause = { kind: "batch", id: "run" };
    const count = async (of: Partial<CallContext>) =>
      Number("input_schema" in (await fail("get", of)).detail);
    expect([await count({ cause }), await count({ cause })]).toEqual([1, 0]);
    expect(await count({ cause: { kind: "script", id: "run" } })).toBe(1);
    expect(await count({ cause: { ...cause } })).toBe(1);
    expect("input_schema" in (await fail("get", { cause }, weakId)).detail).toBe(true);
    const workflow = { kind: "workflow", id: "w", startedBy: "x", idempotencyKey: "k" } as const;
    expect(await count({ cause: workflow })).toBe(0);
  });
});
