import { afterAll, beforeAll, expect, test } from "bun:test";
import { cleanDiscovery } from "../../../connectors/by-row/clean-discovery.ts";
import { hubActor, localAdmin } from "../../../identity/local-admin.ts";
import { openTestServices } from "../../testing/open-test-services.ts";
import { discoverRow } from "./discover-row.ts";
import { markReads } from "./mark-reads.ts";
import { approveOperations, showReview } from "./review-operations.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

type Found = { sourceName: string; destructive: boolean; description?: string };

/** A row, and a function that lets its outside system offer these operations. */
async function openRow() {
  const { id } = await hub.admin.rows.add({ connector: "tracker", label: "Reads" });
  const ctx = { caller: localAdmin, signal: new AbortController().signal };
  const discover = async (found: Found[]) => {
    const described = found.map((one) => ({
      ...{ description: "Does it.", inputSchema: { type: "object" }, ...one },
    }));
    const clean = await cleanDiscovery(described, (value) => value);
    const rows = { ...hub.deps.operations.rows, discover: async () => clean };
    const deps = { ...hub.deps, operations: { ...hub.deps.operations, rows } };
    return discoverRow(deps, hubActor, ctx, id);
  };
  const approve = async (reads: string[] = []) => {
    const { reviewed } = await showReview(hub.deps, id);
    const operations = reviewed.map(({ key, digest }) => ({
      ...{ key, digest, reads: reads.includes(key) },
    }));
    await approveOperations(hub.deps, hubActor, id, { operations });
  };
  const mark = (reads: boolean, operations?: string[]) =>
    markReads(hub.deps, hubActor, id, { reads, operations });
  return { id, discover, approve, mark };
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
  expect(mark(true, ["get"])).rejects.toMatchObject({ code: "conflict" });
  expect(mark(true, ["other"])).rejects.toMatchObject({ code: "not_found" });
  await approve(["get"]);
  await discover([{ ...get, description: "Deletes it." }]);
  expect(await mark(false)).toMatchObject({ count: 0 });
  await approve();
  expect(await mark(false)).toMatchObject({ count: 0 });
  expect(await mark(true)).toMatchObject({ operations: ["get"] });
});
