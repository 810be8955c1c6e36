/**
 * Protects: a caller may name an operation by less than its id, and learns nothing of rows that it may not see.
 */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { insertRow, updateRow } from "../../store/rows/rows-table.ts";
import { setOperationState } from "../../store/rows/switches.ts";
import { newRow } from "../../store/test-data.ts";
import type { ExecuteRequest, ToolName } from "../operations.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const connector = defineConnector({
  key: "tracker",
  name: "Tracker",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: {},
  operations: {
    get_issue: {
      name: "Get issue",
      description: "Reads an issue.",
      input: { Number: wick.int("required") },
      run: ({ params }) => ({ number: params.Number }),
    },
    close_issue: { name: "Close issue", description: "Closes an issue.", run: () => ({}) },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
const ctx = toTestCall(["red"]);
const shop = "1a2b3c4d-0000-4000-8000-000000000001";
/** It begins as `shop` does, and as `twin`. The caller may not see it. */
const hidden = "1a2b3c4d-0000-4000-8000-000000000002";
const pair = ["2a2b3c4d-0000-4000-8000-000000000001", "2a2b3c4d-1000-4000-8000-000000000002"];

async function add(id: string, label: string, tags = ["red"]): Promise<void> {
  const row = newRow({ id, label, tags, connectorKey: "tracker" });
  await insertRow(hub.store.db, row);
}

beforeAll(async () => {
  hub = await openTestOperations(connector);
  await add(shop, "Shop");
  await add(hidden, "Shop", ["vault"]);
  for (const id of pair) await add(id, "Pair");
});
afterAll(() => hub.close());

type Failure = { code: string; message: string; detail: Record<string, unknown> };

async function fail(request: Partial<ExecuteRequest>, of = ctx): Promise<Failure> {
  const thrown = await hub.operations.calls.call(of, { toolId: "", params: {}, ...request }).then(
    () => null,
    (err: unknown) => err,
  );
  if (!(thrown instanceof HubError)) throw new Error(`No failure: ${thrown}`);
  return { code: thrown.code, message: thrown.message, detail: thrown.detail };
}

const names: [string, ToolName][] = [
  ["the whole id", { toolId: `conn:${shop}/get_issue` }],
  ["eight characters of the id", { toolId: "conn:1a2b3c4d/get_issue" }],
  ["more characters", { toolId: "conn:1a2b3c4d-0000-4/get_issue" }],
  ["no conn:", { toolId: "1a2b3c4d/get_issue" }],
  ["capitals", { toolId: " 1A2B3C4D/get_issue " }],
  ["label and key", { toolId: "", named: { row: "Shop", operation: "get_issue" } }],
  ["label and name", { toolId: "", named: { row: " shop ", operation: "GET ISSUE" } }],
];

describe("a name of a visible operation", () => {
  test.each(
    names,
  )("%s finds it, beside a hidden row with the same beginning and label", async (_, name) => {
    const { value, runId } = await hub.operations.calls.call(ctx, {
      ...name,
      params: { number: 7 },
    });
    expect(value).toEqual({ number: 7 });
    const [run] = await hub.listRuns(1);
    expect(run).toMatchObject({
      id: runId,
      connectorId: shop,
      operationKey: "get_issue",
      rowLabel: "Shop",
    });
    const tool = await hub.operations.catalogue.get(ctx.caller, name);
    expect(tool.tool_id).toBe(`conn:${shop}/get_issue`);
  });

  test("A label is found as models are shown it, without the characters that show nothing", async () => {
    const id = "6a2b3c4d-0000-4000-8000-000000000001";
    await add(id, "Lab\u202e \u200bBoard\u{e0041}");
    for (const row of ["Lab Board", "lab  board", "Lab\u202e \u200bBoard\u{e0041}"]) {
      const { detail } = await fail({ toolId: "", named: { row, operation: "get_issue" } });
      expect(detail.tool_id).toBe(`conn:${id}/get_issue`);
    }
  });

  test("A failure names the whole id", async () => {
    for (const [, name] of names.slice(1)) {
      const { code, detail } = await fail({ ...name, params: { number: "x" } });
      expect([code, detail.tool_id]).toEqual(["invalid_params", `conn:${shop}/get_issue`]);
    }
    await setOperationState(hub.store.db, shop, "close_issue", false, Date.now());
    const disabled = await fail({ toolId: "1a2b3c4d/close_issue" });
    expect(disabled).toMatchObject({
      code: "operation_disabled",
      detail: { tool_id: `conn:${shop}/close_issue` },
    });
    expect((await hub.listRuns(1))[0]).toMatchObject({
      connectorId: shop,
      operationKey: "close_issue",
    });
  });

  test("Of two rows with one label, the enabled one is found", async () => {
    const copy = "3a2b3c4d-0000-4000-8000-000000000001";
    await add(copy, "Shop");
    expect(
      await fail({ toolId: "", named: { row: "Shop", operation: "get_issue" } }),
    ).toMatchObject({ code: "not_found" });
    await updateRow(hub.store.db, copy, { disabled: true }, Date.now());
    const { detail } = await fail({ toolId: "", named: { row: "Shop", operation: "get_issue" } });
    expect(detail.tool_id).toBe(`conn:${shop}/get_issue`);
  });
});

const unknown: [string, ToolName][] = [
  ["a beginning of two rows", { toolId: "conn:2a2b3c4d/get_issue" }],
  ["a beginning of no row", { toolId: "conn:9a2b3c4d/get_issue" }],
  [
    "a beginning of a hidden row",
    { toolId: "conn:1a2b3c4d-0000-4000-8000-000000000002/get_issue".slice(5) },
  ],
  ["a beginning of seven characters", { toolId: "conn:1a2b3c4/get_issue" }],
  ["no operation of the row", { toolId: "conn:1a2b3c4d/absent" }],
  ["another prefix", { toolId: "mod:1a2b3c4d/get_issue" }],
  ["no text", { toolId: "" }],
  ["a label of two rows", { toolId: "", named: { row: "Pair", operation: "get_issue" } }],
  ["a label of no row", { toolId: "", named: { row: "Absent", operation: "get_issue" } }],
  ["a name of no operation", { toolId: "", named: { row: "Shop", operation: "Absent" } }],
];

describe("a name of no operation, or of several", () => {
  test.each(
    unknown,
  )("%s gets the answer of an unknown tool, and is recorded as it was sent", async (_, name) => {
    const absent = await fail({ toolId: `conn:${crypto.randomUUID()}/get_issue` });
    expect(absent.code).toBe("not_found");
    expect(await fail(name)).toEqual(absent);
    const [run] = await hub.listRuns(1);
    expect(run).toMatchObject({
      connectorId: null,
      operationKey: "hub_execute",
      errorCode: "not_found",
    });
    const request = JSON.parse(run?.request ?? "{}");
    expect(request).toMatchObject(name.named ?? { tool_id: name.toolId });
    const thrown = await hub.operations.catalogue
      .get(ctx.caller, name)
      .catch((err: unknown) => err);
    expect(String(thrown)).toContain(absent.message);
  });

  test("A longer beginning tells two rows apart", async () => {
    const { detail } = await fail({ toolId: "2a2b3c4d-1/get_issue" });
    expect(detail.tool_id).toBe(`conn:${pair[1]}/get_issue`);
  });

  test("What was sent is recorded cut", async () => {
    await fail({ toolId: "x".repeat(5_000) });
    expect((await hub.listRuns(1))[0]?.request?.length).toBeLessThan(400);
  });

  test("An admin, who sees both rows, has to give more of the id", async () => {
    const admin = toTestCall([], { caller: { role: "admin" } });
    expect(await fail({ toolId: "1a2b3c4d/get_issue" }, admin)).toMatchObject({
      code: "not_found",
    });
  });
});

test("A workflow, and what is stored, has whole ids", async () => {
  const cause = { kind: "workflow", id: "run", startedBy: "x", idempotencyKey: "k" } as const;
  const stored = await fail({ toolId: "1a2b3c4d/get_issue" }, { ...ctx, cause });
  expect(stored.code).toBe("not_found");
  const checked = hub.operations.calls.check(ctx, {
    toolId: "1a2b3c4d/get_issue",
    params: { number: 1 },
  });
  await expect(checked).rejects.toMatchObject({ code: "not_found" });
  const { get } = hub.operations.catalogue;
  await expect(get(ctx.caller, "1a2b3c4d/get_issue")).rejects.toMatchObject({ code: "not_found" });
});

test("A label of a hidden row costs no look at its operations, whose number would tell of it", async () => {
  await add("4a2b3c4d-0000-4000-8000-000000000001", "Vault", ["vault"]);
  await add("5a2b3c4d-0000-4000-8000-000000000001", "Open");
  const find = spyOn(hub.registry, "find");
  try {
    const count = async (row: string) => {
      find.mockClear();
      await fail({ toolId: "", named: { row, operation: "absent" } });
      return find.mock.calls.length;
    };
    // The first call reads the new rows.
    await count("Absent");
    const absent = await count("Absent");
    expect(await count("Vault")).toBe(absent);
    expect(await count("Open")).toBeGreaterThan(absent);
  } finally {
    find.mockRestore();
  }
});
