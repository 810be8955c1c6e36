import { afterAll, beforeAll, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { toMarkable } from "../../../connectors/by-row/marked-operations.ts";
import type { Operation } from "../../../connectors/connector-port.ts";
import { createLocalConnector } from "../../../connectors/local-connector.ts";
import { hubActor, localAdmin } from "../../../identity/local-admin.ts";
import { listChanges } from "../../../store/changes-table.ts";
import { openTestServices } from "../../testing/open-test-services.ts";
import { loadRow } from "../load-row.ts";
import { listOperations } from "../operations/list-operations.ts";
import { markReads } from "./mark-reads.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
  hub.deps.registry.register(toConnector());
});
afterAll(() => hub.close());

/** A connector of which admins say what only reads, or its author. */
function toConnector({ description = "Looks.", isOfAuthor = false, inputs = {} } = {}) {
  const definition = defineConnector({
    key: "remote",
    name: "Remote",
    icon: "box",
    tier: "builtin",
    description: "A connector for tests.",
    config: { Address: wick("") },
    operations: {
      look: { description, input: inputs, run: () => ({}) },
      list: { description: "Lists.", reads: true, run: () => ({}) },
      send: { description: "Sends.", destructive: true, run: () => ({}) },
      upkeep: { description: "Tidies.", adminOnly: true, run: () => ({}) },
    },
  });
  const connector = createLocalConnector(definition, () => ({}));
  if (isOfAuthor) return connector;
  return {
    ...connector,
    operations: toMarkable(connector.operations),
    markedFor: (texts: ReadonlyMap<string, string>) => texts.get("address") ?? "",
  };
}

async function openRow() {
  hub.deps.registry.replace(toConnector());
  const { id } = await hub.admin.rows.add({ connector: "remote", label: "Remote", values: {} });
  const mark = (reads: boolean, operations?: string[], stamp?: string) =>
    markReads(hub.deps, hubActor, id, { reads, operations, stamp });
  const listReads = async () => {
    const shown = await hub.admin.rows.show(id);
    const keys = shown.operations.filter(({ reads }) => reads).map(({ key }) => key);
    return keys;
  };
  return { id, mark, listReads };
}

test("An admin marks one operation of a connector, all that are not destructive, and none again", async () => {
  const { mark, listReads } = await openRow();
  expect(await listReads()).toEqual([]);
  expect(await mark(true, ["look"])).toMatchObject({ operations: ["look"], count: 1 });
  expect(await listReads()).toEqual(["look"]);
  expect(await mark(true)).toMatchObject({ operations: ["list"], count: 1 });
  expect(await mark(true)).toMatchObject({ count: 0 });
  expect(await listReads()).toEqual(["look", "list"]);
  expect(await mark(false, ["look"])).toMatchObject({ operations: ["look"] });
  expect(await listReads()).toEqual(["list"]);
  expect(await mark(false)).toMatchObject({ operations: ["list"], count: 1 });
  expect(await listReads()).toEqual([]);
});

test("A mark is for its row alone, and operations without it stay those of the connector", async () => {
  const [one, other] = [await openRow(), await openRow()];
  await one.mark(true, ["look"]);
  expect(await other.listReads()).toEqual([]);
  const load = async ({ id }: { id: string }) => {
    const row = await loadRow(hub.deps.store.db, id);
    const loaded = await hub.deps.registry.loadMarked(hub.deps.store.db, [row]);
    return loaded.get(id) ?? new Map<string, Operation>();
  };
  const [marked, plain] = [await load(one), await load(other)];
  expect(marked.get("send")).toBe(plain.get("send"));
  expect(marked.get("look")).toMatchObject({ reads: true });
  expect(marked.get("look")?.fromRow).toBeUndefined();
  // The search knows operations by their objects.
  expect(await load(one)).toBe(marked);
});

test("Marks are read only of rows whose connectors leave them to admins, and once", async () => {
  const { id, mark } = await openRow();
  await mark(true, ["look"]);
  const row = await loadRow(hub.deps.store.db, id);
  const load = (db = hub.deps.store.db) => hub.deps.registry.loadMarked(db, [row]);
  const unread = new Proxy(hub.deps.store.db, {
    get() {
      throw new Error("The database is read");
    },
  });
  hub.deps.registry.keepOperations(new Set());
  await expect(load(unread)).rejects.toThrow("is read");
  const loaded = await load();
  expect((await load(unread)).get(id)).toBe(loaded.get(id));
  // The database was replaced during the load.
  const loading = load();
  hub.deps.registry.keepOperations(new Set());
  expect((await loading).get(id)?.get("look")).toMatchObject({ reads: true });
  hub.deps.registry.keepOperations(new Set());
  hub.deps.registry.replace(toConnector({ isOfAuthor: true }));
  expect(await load(unread)).toEqual(new Map());
});

test.each([
  ["send", "is destructive"],
  ["upkeep", "The author of Remote says"],
])("%s cannot be marked", async (key, message) => {
  const { mark, listReads } = await openRow();
  await expect(mark(true, [key])).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining(message),
  });
  await expect(mark(true, ["none"])).rejects.toMatchObject({ code: "not_found" });
  expect(await listReads()).toEqual([]);
});

test.each([
  ["description", { description: "Looks, then deletes." }],
  ["inputs", { inputs: { All: wick.bool("") } }],
])("A change of the %s in another version of the connector ends the mark", async (_, change) => {
  const { mark, listReads } = await openRow();
  await mark(true);
  hub.deps.registry.replace(toConnector(change));
  expect(await listReads()).toEqual(["list"]);
  expect(await mark(true)).toMatchObject({ operations: ["look"] });
  expect(await listReads()).toEqual(["look", "list"]);
});

test("Another address of the row ends its marks, also when the old one comes back", async () => {
  const { id, mark, listReads } = await openRow();
  const setAddress = (address: string) => hub.admin.rows.set(id, { values: { address } });
  await setAddress("https://first.example");
  await mark(true);
  await setAddress("https://first.example");
  expect(await listReads()).toEqual(["look", "list"]);
  await setAddress("https://other.example");
  expect(await listReads()).toEqual([]);
  await setAddress("https://first.example");
  expect(await listReads()).toEqual([]);
  const changes = await listChanges(hub.deps.store.db, { targetId: id, limit: 3 });
  const counts = changes.map(({ detail }) => JSON.parse(detail).reads_removed);
  expect(counts).toEqual([undefined, 2, undefined]);
});

test("Where the author says what reads, it counts, and the marks of admins do not", async () => {
  const { mark, listReads } = await openRow();
  await mark(true, ["look"]);
  hub.deps.registry.replace(toConnector({ isOfAuthor: true }));
  expect(await listReads()).toEqual(["list"]);
  await expect(mark(true, ["look"])).rejects.toMatchObject({ code: "conflict" });
  hub.deps.registry.replace(toConnector());
  expect(await listReads()).toEqual(["look"]);
});

test("A mark with the stamp of a page is refused after another change of the marks", async () => {
  const { mark } = await openRow();
  await mark(true, ["look"]);
  await expect(mark(true, ["list"], "another")).rejects.toMatchObject({ code: "conflict" });
});

test.each([
  ["another description", () => hub.deps.registry.replace(toConnector({ description: "Sends." }))],
  ["another address", (id: string) => hub.admin.rows.set(id, { values: { address: "x" } })],
  ["marks of others", (id: string) => markReads(hub.deps, hubActor, id, { reads: true })],
])("A mark with the stamp of a page is refused after %s", async (_, change) => {
  const { id, mark, listReads } = await openRow();
  const query = { callable: false, limit: 9, after: 0 };
  const readStamp = async () =>
    (await listOperations(hub.deps, localAdmin, id, query)).stamp ?? "none";
  const shown = await readStamp();
  expect(await readStamp()).toBe(shown);
  await change(id);
  const before = await listReads();
  await expect(mark(true, ["look"], shown)).rejects.toMatchObject({ code: "conflict" });
  expect(await listReads()).toEqual(before);
  await mark(true, ["look"], await readStamp());
  expect(await listReads()).toContain("look");
});
