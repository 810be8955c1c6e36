import { afterEach, expect, test } from "bun:test";
import { defineConnector } from "@hub/connector";
import { setOperationState } from "../../store/rows/switches.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";
import { estimateTokens } from "./estimate-tokens.ts";

const define = (key: string, operation = "read") =>
  defineConnector({
    key,
    name: key,
    icon: "box",
    tier: "builtin",
    description: "A connector for tests.",
    config: {},
    operations: { [operation]: { description: "Reads.", run: () => ({}) } },
  });

let close: (() => Promise<void>) | null = null;
afterEach(async () => {
  await close?.();
  close = null;
});

async function open() {
  const hub = await openTestOperations(define("fixture"), {
    others: [define("hub"), define("workflow"), define("other")],
  });
  close = hub.close;
  const { caller } = toTestCall(["red"]);
  return {
    ...hub,
    name: (changes = {}) => hub.operations.catalogue.nameRows({ ...caller, ...changes }),
  };
}

test("Rows that the caller can use are named in the order of lists, each label once", async () => {
  const hub = await open();
  await hub.addRow({ tags: ["red"], label: "B" });
  await hub.addRow({ tags: ["everyone"], label: "A" });
  await hub.addRow({ tags: ["red"], label: "A" });
  await hub.addRow({ tags: ["blue"], label: "Hidden" });
  await hub.addRow({ tags: ["red"], label: "Off", disabled: true });
  const unusable = await hub.addRow({ tags: ["red"], label: "Unusable" });
  await setOperationState(hub.store.db, unusable, "read", false, Date.now());
  await hub.addRow({ tags: ["red"], label: "0", connectorKey: "other" });
  expect(await hub.name()).toEqual({ labels: ["A", "B", "0"], hasMore: false, readScript: null });
  expect((await hub.name({ role: "admin" })).labels).toEqual(["A", "B", "Hidden", "0"]);
});

test("Rows of the hub's own connectors are not named", async () => {
  const hub = await open();
  for (const connectorKey of ["hub", "workflow"]) await hub.addRow({ tags: ["red"], connectorKey });
  expect(await hub.name()).toEqual({ labels: [], hasMore: false, readScript: null });
});

test("The first read_script that the caller can call is named, and that of no other connector", async () => {
  const hub = await openTestOperations(define("fixture"), {
    others: [define("hub", "read_script"), define("other", "read_script")],
  });
  close = hub.close;
  const { caller } = toTestCall(["red"]);
  const find = async () => (await hub.operations.catalogue.nameRows(caller)).readScript;
  await hub.addRow({ tags: ["red"], connectorKey: "other" });
  await hub.addRow({ tags: ["blue"], connectorKey: "hub" });
  expect(await find()).toBeNull();
  const row = await hub.addRow({ tags: ["red"], connectorKey: "hub" });
  expect(await find()).toBe(`conn:${row}/read_script`);
  await setOperationState(hub.store.db, row, "read_script", false, Date.now());
  expect(await find()).toBeNull();
});

test("A label is one line of at most 40 characters, without invisible ones", async () => {
  const hub = await open();
  const hidden = "\u202e\u200b\u2066\ufeff\u00ad\u{e0041}\u{e0042}";
  await hub.addRow({ tags: ["red"], label: `Sh${hidden}op\r\n\u2028now\u0007` });
  await hub.addRow({ tags: ["red"], label: hidden });
  await hub.addRow({ tags: ["red"], label: "😀".repeat(50) });
  const { labels } = await hub.name();
  expect(labels[0]).toBe("Shop now");
  expect(labels).toHaveLength(2);
  expect(labels[1]?.isWellFormed()).toBe(true);
  expect(labels[1]?.length).toBeLessThanOrEqual(40);
});

test("At most 30 rows are named, and fewer if their labels are long", async () => {
  const hub = await open();
  for (let at = 10; at < 41; at += 1) await hub.addRow({ tags: ["red"], label: `Row ${at}` });
  const short = await hub.name();
  expect([short.labels.length, short.hasMore]).toEqual([30, true]);
  for (let at = 10; at < 41; at += 1) {
    await hub.addRow({ tags: ["blue"], label: `${at}${"é".repeat(38)}` });
  }
  const { labels, hasMore } = await hub.name({ tags: new Set(["blue"]) });
  expect([labels.length, hasMore]).toEqual([9, true]);
});

test("Tokens are counted by words, digits and the bytes of other characters", () => {
  expect(estimateTokens("")).toBe(2);
  expect(estimateTokens("Orders API 2026")).toBe(2 + 3 + 1 + 2 + 1 + 2);
  expect(estimateTokens("é数😀")).toBe(2 + 1 + 2 + 4);
});
