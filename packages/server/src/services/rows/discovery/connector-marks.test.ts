import { afterAll, beforeAll, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { toMarkable } from "../../../connectors/by-row/marked-operations.ts";
import type { Operation } from "../../../connectors/connector-port.ts";
import { createLocalConnector } from "../../../connectors/local-connector.ts";
import { hubActor } from "../../../identity/local-admin.ts";
import { openTestServices } from "../../testing/open-test-services.ts";
import { loadRow } from "../load-row.ts";
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

test("Another address of the row ends its marks", async () => {
  const { id, mark, listReads } = await openRow();
  await mark(true);
  await hub.admin.rows.set(id, { values: { address: "https://other.example" } });
  expect(await listReads()).toEqual([]);
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
