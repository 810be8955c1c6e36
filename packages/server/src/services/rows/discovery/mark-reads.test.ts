import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DiscoveredOperation } from "@hub/connector";
import { cleanDiscovery } from "../../../connectors/by-row/clean-discovery.ts";
import { hubActor, localAdmin } from "../../../identity/local-admin.ts";
import { listRowOperations } from "../../../store/rows/row-operations-table.ts";
import { openTestServices } from "../../testing/open-test-services.ts";
import { listOperations } from "../operations/list-operations.ts";
import { discoverRow } from "./discover-row.ts";
import { markReads } from "./mark-reads.ts";
import { approveOperations, showReview } from "./review-operations.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

type Found = Partial<DiscoveredOperation> & Pick<DiscoveredOperation, "sourceName" | "destructive">;

/** A row, and a function that lets its outside system offer these operations. */
async function openRow() {
  const { id } = await hub.admin.rows.add({ connector: "tracker", label: "Reads" });
  const ctx = { caller: localAdmin, signal: new AbortController().signal };
  const discover = async (found: Found[], { isTrusted = false } = {}) => {
    const described = found.map((one) => ({
      description: "Does it.",
      inputSchema: { type: "object" },
      ...one,
    }));
    const clean = await cleanDiscovery(described, (value) => value);
    const rows = { ...hub.deps.operations.rows, discover: async () => clean };
    const config = { ...hub.deps.config, ...(isTrusted && { bridgeTrust: "row" as const }) };
    const deps = { ...hub.deps, config, operations: { ...hub.deps.operations, rows } };
    return discoverRow(deps, hubActor, ctx, id);
  };
  const approve = async (reads: string[] = []) => {
    const { reviewed } = await showReview(hub.deps, id);
    const operations = reviewed.map(({ key, digest }) => ({
      key,
      digest,
      reads: reads.includes(key),
    }));
    await approveOperations(hub.deps, hubActor, id, { operations });
  };
  const mark = (reads: boolean, operations?: string[], stamp?: string) =>
    markReads(hub.deps, hubActor, id, { reads, operations, stamp });
  const readMarked = async () => {
    const stored = await listRowOperations(hub.deps.store.db, id);
    return stored.filter((one) => one.reads).map(({ key }) => key);
  };
  return { id, discover, approve, mark, readMarked };
}

const get = { sourceName: "get", destructive: false };
const search = { sourceName: "search", destructive: true };

test("All operations that change nothing are marked at once, and others one by one", async () => {
  const { discover, approve, mark } = await openRow();
  await discover([get, search]);
  await approve();
  expect(await mark(true)).toMatchObject({ reads: true, operations: ["get"], count: 1 });
  expect(await mark(true, ["search", "get"])).toMatchObject({ operations: ["search"], count: 1 });
  expect(await mark(true)).toMatchObject({ count: 0 });
  expect(await mark(false)).toMatchObject({ operations: ["get", "search"], count: 2 });
  expect(await mark(false)).toMatchObject({ count: 0 });
});

test("An operation that waits cannot be marked, and an approval of a change has no mark by itself", async () => {
  const { discover, approve, mark } = await openRow();
  await discover([get]);
  await expect(mark(true, ["get"])).rejects.toMatchObject({ code: "conflict" });
  await expect(mark(true, ["other"])).rejects.toMatchObject({ code: "not_found" });
  await approve(["get"]);
  await discover([{ ...get, description: "Deletes it." }]);
  expect(await mark(false)).toMatchObject({ count: 0 });
  await approve();
  expect(await mark(false)).toMatchObject({ count: 0 });
  expect(await mark(true)).toMatchObject({ operations: ["get"] });
});

test("A tick marks also when another admin has approved the same meanwhile", async () => {
  const { id, discover, approve, mark, readMarked } = await openRow();
  await discover([get]);
  const { reviewed } = await showReview(hub.deps, id);
  await approve();
  const operations = reviewed.map(({ key, digest }) => ({ key, digest, reads: true }));
  await approveOperations(hub.deps, hubActor, id, { operations });
  expect(await readMarked()).toEqual(["get"]);
  // And not for another definition.
  await mark(false);
  await discover([{ ...get, destructive: true }]);
  await expect(approveOperations(hub.deps, hubActor, id, { operations })).rejects.toMatchObject({
    code: "conflict",
  });
  await approve();
  expect(await readMarked()).toEqual([]);
});

test.each([
  ["one", ["get"]],
  ["all", undefined],
])("A mark of %s with the stamp of a page never falls on what the hub has approved since", async (_, keys) => {
  const { id, discover, approve, mark, readMarked } = await openRow();
  const readStamp = async () => {
    const query = { callable: false, limit: 100, after: 0 };
    return (await listOperations(hub.deps, localAdmin, id, query)).stamp ?? "";
  };
  await discover([get]);
  await approve();
  const shown = await readStamp();
  await discover([{ ...get, description: "Deletes it." }], { isTrusted: true });
  await expect(mark(true, keys, shown)).rejects.toMatchObject({
    code: "conflict",
    message: "The operations of the row have changed since they were shown. Look at them again.",
  });
  expect(await readMarked()).toEqual([]);
  expect(await mark(true, keys, await readStamp())).toMatchObject({ operations: ["get"] });
});

test.each([
  ["description", { description: "Sends it." }],
  ["hints", { destructive: true }],
  ["idempotence", { idempotent: true }],
  ["inputs", { inputSchema: { type: "object", properties: { all: { type: "boolean" } } } }],
  ["results", { outputSchema: { type: "object" } }],
  ["title", { title: "Another" }],
  ["request", { binding: { method: "POST" } }],
])("A change of the %s ends the mark, also where the hub approves it by itself", async (_, change) => {
  const { discover, approve, mark, readMarked } = await openRow();
  await discover([get, search]);
  await approve(["get"]);
  expect(await readMarked()).toEqual(["get"]);
  await discover([{ ...get, ...change }, search]);
  expect(await readMarked()).toEqual([]);
  await discover([get, search]);
  expect(await readMarked()).toEqual([]);
  await mark(true, ["get"]);
  await discover([{ ...get, ...change }, search], { isTrusted: true });
  expect(await readMarked()).toEqual([]);
  await discover([get, search], { isTrusted: true });
  expect(await readMarked()).toEqual([]);
});
