import { afterAll, beforeAll, expect, test } from "bun:test";
import { localAdmin } from "../../../identity/local-admin.ts";
import { openTestServices } from "../../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let row: string;
beforeAll(async () => {
  hub = await openTestServices();
  const values = { base_url: "https://tracker.example", token: "the-secret" };
  row = (await hub.admin.rows.add({ connector: "tracker", label: "Bugs", values })).id;
});
afterAll(() => hub.close());

const ctx = { caller: localAdmin, signal: new AbortController().signal };
const use = (field: string, click: { op?: string; arg?: string } = {}) =>
  hub.admin.rows.useWidget(ctx, { row, field, ...click });

test("A widget is rendered by its operation", async () => {
  expect(await use("panel")).toEqual({ html: "<p>ok</p>" });
});

test("A selection stores the argument as the field's value and renders the widget again", async () => {
  const answer = await use("panel", { op: "__select", arg: "7" });
  expect(answer).toMatchObject({ html: "<p>ok</p>", saved: ["panel"], not_saved: [] });
  const { values } = await hub.admin.rows.show(row);
  expect(values.find(({ key }) => key === "panel")).toMatchObject({ value: "7", is_set: true });
});

test("A click runs its operation, which is recorded as a test", async () => {
  await use("panel", { op: "sweep", arg: "3" });
  const runs = await hub.admin.runs.list({ row, limit: 2 });
  expect(runs.map(({ operation_key: key, source }) => [key, source])).toEqual([
    ["widget", "test"],
    ["sweep", "test"],
  ]);
});

test("A click whose result has no fields to save does not change the row", async () => {
  const before = await hub.admin.rows.show(row);
  expect(await use("panel", { op: "sweep", arg: "3" })).toMatchObject({ saved: [], not_saved: [] });
  expect(await hub.admin.rows.show(row)).toEqual(before);
  const [newest] = await hub.admin.changes.list({ limit: 1, action: "row.update" });
  expect(newest?.detail).not.toEqual({});
});

test("A secret in the name of a field that is not saved is sealed, as in the result", async () => {
  const { not_saved: refused, ...answer } = await use("panel", { op: "leak" });
  expect(JSON.stringify([refused, answer])).not.toContain("the-secret");
  expect(refused?.map(({ field }) => field)).toEqual([
    expect.stringMatching(/^hub_enc_[\w-]+$/),
    expect.stringMatching(/^near hub_enc_[\w-]+$/),
    "site",
  ]);
});

test.each([
  ["no widget", "region", {}, "not_found"],
  ["an operation that is none", "panel", { op: "nothing" }, "not_found"],
  ["an operation that answers no html", "broken", {}, "upstream_error"],
])("A widget click with %s is refused", async (_, field, click, code) => {
  await expect(use(field, click)).rejects.toMatchObject({ code });
});
