import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { PackedTexts } from "../../lib/text/packed-texts.ts";
import { transaction } from "../../store/database/database.ts";
import { replaceRowOperations } from "../../store/rows/row-operations-table.ts";
import { updateRow } from "../../store/rows/rows-table.ts";
import { setOperationState, setTypeState } from "../../store/rows/switches.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const secret = "s3cret-of-the-row-9fK2xQ7vLm4R";
const connector = defineConnector({
  key: "fixture",
  name: "Fixture",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: { Token: wick("secret"), Mood: wick("default=well") },
  async health({ config, fetch }) {
    if (config.Mood === "deaf") {
      hung.resolve();
      await new Promise(() => {});
    }
    if (config.Mood === "outside") {
      const { status } = await fetch(outside.url);
      return { ok: false, reason: `The host answered ${status}.` };
    }
    if (config.Mood === "broken") throw new Error(`no luck with ${config.Token}`);
    return config.Mood === "well"
      ? { ok: true }
      : { ok: false, reason: `The host answered 401 to ${config.Token}.` };
  },
  lookup: ({ source, query, config }) => [{ id: "1", name: `${source}/${query}/${config.Token}` }],
  operations: {
    read: {
      description: "Reads.",
      input: { Author: wick("picker=people") },
      run: () => ({}),
    },
  },
});

const hung = Promise.withResolvers<void>();
const outside = Bun.serve({ port: 0, fetch: () => new Response("", { status: 418 }) });
afterAll(() => outside.stop());

type Hub = Awaited<ReturnType<typeof openTestOperations>>;
let hub: Hub;
beforeAll(async () => {
  hub = await openTestOperations(connector, { outboundAllow: ["127.0.0.1", "localhost"] });
});
afterAll(() => hub.close());

const addRow = (mood: string) =>
  hub.addRow({ tags: ["lab"], values: { mood }, secrets: { token: secret } });
const newestRun = async () => (await hub.listRuns())[0];

describe("a health check", () => {
  test("A health check returns the connector's answer and is recorded", async () => {
    const id = await addRow("well");
    expect(await hub.operations.rows.health(toTestCall(["lab"]), id)).toEqual({ ok: true });
    expect(await newestRun()).toMatchObject({
      connectorId: id,
      operationKey: "hub.health",
      status: "success",
    });
  });

  test("The reason of a health check never contains the secret that the connector quotes in it", async () => {
    const health = await hub.operations.rows.health(toTestCall(["lab"]), await addRow("sad"));
    expect(health.ok).toBe(false);
    expect(JSON.stringify(health)).toMatch(/answered 401 to hub_enc_/);
    expect(JSON.stringify([health, await hub.listRuns()])).not.toContain(secret);
  });

  test("A health check that throws fails like a call: sealed and recorded", async () => {
    const asked = hub.operations.rows.health(toTestCall(["lab"]), await addRow("broken"));
    await expect(asked).rejects.toThrow(/no luck with hub_enc_/);
    expect(await newestRun()).toMatchObject({ status: "error" });
  });
});

describe("a running health check", () => {
  test("A running health check is cancelled like a call, even if its connector ignores the signal", async () => {
    const asked = hub.operations.rows.health(toTestCall(["lab"]), await addRow("deaf"));
    await hung.promise;
    const run = await newestRun();
    expect(run).toMatchObject({ operationKey: "hub.health", status: "running" });
    expect(hub.operations.running.cancel(run?.id ?? "", "An admin stopped it.")).toBe(true);
    await expect(asked).rejects.toThrow("An admin stopped it.");
    expect(await newestRun()).toMatchObject({ status: "cancelled" });
  });

  test("A health check records the HTTP status of the outside system's answer", async () => {
    await hub.operations.rows.health(toTestCall(["lab"]), await addRow("outside"));
    expect(await newestRun()).toMatchObject({
      status: "error",
      errorCode: "upstream_error",
      errorMsg: "The host answered 418.",
      httpStatus: 418,
    });
  });
});

describe("a look-up", () => {
  test("A look-up returns the connector's items, sealed, and is recorded with its query", async () => {
    const question = { rowId: await addRow("well"), source: "people", query: "ad" };
    const [item] = await hub.operations.rows.lookUp(toTestCall(["lab"]), question);
    expect(item?.name).toMatch(/^people\/ad\/hub_enc_/);
    expect(await newestRun()).toMatchObject({
      operationKey: "hub.lookup",
      request: '{"source":"people","query":"ad"}',
      status: "success",
    });
  });

  test("A caller who may not see the row gets not_found", async () => {
    const question = { rowId: await addRow("well"), source: "people", query: "ad" };
    const asked = hub.operations.rows.lookUp(toTestCall(["other"]), question);
    await expect(asked).rejects.toMatchObject({ code: "not_found" });
    expect(await newestRun()).toMatchObject({ status: "denied", rowLabel: null });
  });
});

describe("the pickers of a row", () => {
  const pickers = defineConnector({
    key: "pickers",
    name: "Pickers",
    icon: "box",
    tier: "builtin",
    description: "Has many.",
    config: { Owner: wick("picker=owners") },
    lookup: ({ source }) => [{ id: "1", name: source }],
    operations: {
      read: { description: "Reads.", input: { Of: wick("picker=people") }, run: () => ({}) },
      panel: {
        description: "Behind a widget.",
        configOnly: true,
        input: { Of: wick("picker=panels") },
        run: () => ({}),
      },
      upkeep: {
        description: "Maintains.",
        adminOnly: true,
        input: { Of: wick("picker=chores") },
        run: () => ({}),
      },
    },
  });
  let other: Hub;
  let rowId: string;
  beforeAll(async () => {
    other = await openTestOperations(pickers);
    rowId = await other.addRow({ tags: ["lab"] });
  });
  afterAll(() => other.close());

  async function ask(role: "user" | "admin", source: string): Promise<string> {
    const ctx = toTestCall(["lab"], { caller: { role } });
    const asked = other.operations.rows.lookUp(ctx, { rowId, source, query: "" });
    return await asked.then(([item]) => item?.name ?? "nothing", String);
  }
  const unknown = "HubError: Check the params and call again: source is not known.";
  const refused = `${unknown} Use people.`;

  test("A user can use the pickers of operations that the user can call", async () => {
    expect(await ask("user", "people")).toBe("people");
  });

  test.each([
    ["the settings", "owners"],
    ["an operation behind a widget", "panels"],
    ["an admin-only operation", "chores"],
  ])("Only an admin can use a picker of %s", async (_, source) => {
    expect(await ask("user", source)).toBe(refused);
    expect(await ask("admin", source)).toBe(source);
  });

  test.each([
    "user",
    "admin",
  ] as const)("A source that no picker has is refused for %s, and the connector is not asked", async (role) => {
    const known = role === "admin" ? "owners, people, panels, chores" : "people";
    for (const source of ["peple", "", "constructor"]) {
      expect(await ask(role, source)).toBe(`${unknown} Use ${known}.`);
    }
  });

  test.each<[string, (isOff: boolean) => Promise<unknown>]>([
    ["row", (disabled) => updateRow(other.store.db, rowId, { disabled }, Date.now())],
    ["operation", (isOff) => setOperationState(other.store.db, rowId, "read", !isOff, Date.now())],
    ["connector type", (isOff) => setTypeState(other.store.db, "pickers", isOff)],
  ])("Only an admin can use the pickers of a disabled %s", async (_, setOff) => {
    await setOff(true);
    expect([await ask("user", "people"), await ask("admin", "people")]).toEqual([
      `${unknown} You can use no picker of this row.`,
      "people",
    ]);
    await setOff(false);
    expect(await ask("user", "people")).toBe("people");
  });
});

/** Protects: a user cannot hold the hub with a look-up in a row that brings thousands of operations. */
test("A look-up reads no schema of the operations that a row brought", async () => {
  const id = await addRow("well");
  const definition = {
    name: "Brought",
    description: "",
    destructive: false,
    idempotent: false,
    inputSchema: '{"type":"object"}',
    outputSchema: null,
    binding: "null",
  };
  const state = { sourceName: "brought", approvedAt: 1, pending: null, goneAt: null };
  const operations = [{ key: "brought", definition, ...state }];
  await transaction(hub.store.db, (trx) =>
    replaceRowOperations(trx, id, { operationsId: "one", before: [], operations }, Date.now()),
  );
  using read = spyOn(PackedTexts.prototype, "read");
  for (const role of ["user", "admin"] as const) {
    const ctx = toTestCall(["lab"], { caller: { role } });
    const asked = hub.operations.rows.lookUp(ctx, { rowId: id, source: "people", query: role });
    await expect(asked).rejects.toThrow("You can use no picker of this row");
  }
  expect(read).not.toHaveBeenCalled();
  await hub.operations.catalogue.get(toTestCall(["lab"]).caller, `conn:${id}/brought`);
  expect(read).toHaveBeenCalled();
});

test("A look-up has at most 20 items", async () => {
  const many = defineConnector({
    key: "many",
    name: "Many",
    icon: "box",
    tier: "builtin",
    description: "Has many items.",
    config: {},
    lookup: () => Array.from({ length: 21 }, (_, id) => ({ id: String(id), name: "one" })),
    operations: {
      read: { description: "Reads.", input: { Of: wick("picker=people") }, run: () => ({}) },
    },
  });
  const other = await openTestOperations(many);
  const question = { rowId: await other.addRow({ tags: ["lab"] }), source: "people", query: "" };
  const items = await other.operations.rows.lookUp(toTestCall(["lab"]), question);
  expect([items.length, items.at(-1)?.id]).toEqual([20, "19"]);
  await other.close();
});

test("A connector without a health check or look-up answers not_found", async () => {
  const bare = defineConnector({
    key: "bare",
    name: "Bare",
    icon: "box",
    tier: "builtin",
    description: "Has neither.",
    config: {},
    operations: { read: { description: "Reads.", run: () => ({}) } },
  });
  const other = await openTestOperations(bare);
  const id = await other.addRow({ tags: ["lab"] });
  const admin = toTestCall(["lab"]);
  const ctx = { ...admin, caller: { ...admin.caller, role: "admin" as const } };
  await expect(other.operations.rows.health(ctx, id)).rejects.toMatchObject({
    code: "not_found",
    message: 'The connector "bare" has no health check.',
  });
  const question = { rowId: id, source: "people", query: "" };
  await expect(other.operations.rows.lookUp(ctx, question)).rejects.toMatchObject({
    code: "not_found",
    message: 'The connector "bare" has no look-up.',
  });
  await other.close();
});
