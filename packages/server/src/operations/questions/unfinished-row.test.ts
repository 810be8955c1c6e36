import { afterAll, beforeAll, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const connector = defineConnector({
  key: "unfinished",
  name: "Unfinished",
  icon: "box",
  tier: "builtin",
  description: "Reads a required field.",
  config: {
    Mood: wick("default=hasty"),
    BaseURL: wick("required"),
    Host: wick("picker=hosts"),
  },
  health({ config }) {
    if (config.Mood === "careful") return { ok: false, reason: "Not yet." };
    if (config.Mood === "outside") throw new Error("The host is away.");
    if (config.Mood === "broken") throw new TypeError("undefined is not a function");
    return { ok: config.BaseURL.startsWith("https:") };
  },
  lookup: ({ config }) => [{ id: "1", name: new URL("/", config.BaseURL).href }],
  operations: { read: { description: "Reads.", run: () => ({}) } },
});

const admin = toTestCall(["lab"], { caller: { role: "admin" } });
let hub: Awaited<ReturnType<typeof openTestOperations>>;
beforeAll(async () => {
  hub = await openTestOperations(connector);
});
afterAll(() => hub.close());

const addRow = (values: Record<string, string>) => hub.addRow({ tags: ["lab"], values });

/** Protects: an admin who has not filled a row in reads what to set, not of an internal error. */
test("A health check or look-up that fails on a missing field names it", async () => {
  const rowId = await addRow({});
  const { rows } = hub.operations;
  const refused = { code: "needs_setup", detail: { missing: ["base_url"] } };
  await expect(rows.health(admin, rowId)).rejects.toMatchObject(refused);
  const question = { rowId, source: "hosts", query: "" };
  await expect(rows.lookUp(admin, question)).rejects.toMatchObject(refused);
  const recorded = await hub.listRuns();
  expect(recorded.map(({ errorCode }) => errorCode)).toEqual(["needs_setup", "needs_setup"]);
});

test("What the health check of an unfinished row says itself is kept", async () => {
  const { rows } = hub.operations;
  const careful = await addRow({ mood: "careful" });
  expect(await rows.health(admin, careful)).toEqual({ ok: false, reason: "Not yet." });
  const outside = rows.health(admin, await addRow({ mood: "outside" }));
  await expect(outside).rejects.toMatchObject({
    code: "upstream_error",
    message: "The host is away.",
  });
});

test("A fault in the code stays one if the row has all that it needs", async () => {
  const complete = { base_url: "https://api.example" };
  expect(await hub.operations.rows.health(admin, await addRow(complete))).toEqual({ ok: true });
  const broken = hub.operations.rows.health(admin, await addRow({ ...complete, mood: "broken" }));
  await expect(broken).rejects.toMatchObject({ code: "internal" });
});
