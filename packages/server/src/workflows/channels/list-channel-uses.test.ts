/** Protects: a person who renames a channel learns of each workflow that names it, whatever its size. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChannelUses } from "@hub/contract/channel.ts";
import type { Store } from "../../store/store.ts";
import { newUser, newWorkflow } from "../../store/test-data.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { insertUser } from "../../store/users/users-table.ts";
import { insertWorkflow } from "../../store/workflows/workflow-changes.ts";
import { putDraft } from "../../store/workflows/workflow-drafts.ts";
import { publishDraft } from "../../store/workflows/workflow-versions-table.ts";
import { listChannelUses } from "./list-channel-uses.ts";

let dataDir: string;
let store: Store;
let ownerId: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-uses-"));
  store = await openTestStore({ dataDir });
  ({ id: ownerId } = await insertUser(store.db, newUser({ email: "ann@example.com" })));
});
afterAll(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

const toBody = (body: unknown) => ({ id: crypto.randomUUID(), text: JSON.stringify(body) });
const item = (id: unknown, channel: unknown, type: unknown = "channel") => ({ id, type, channel });

/** A draft. */
async function add(name: string, body: unknown): Promise<string> {
  const workflow = newWorkflow(ownerId, { name, body: toBody(body) });
  await insertWorkflow(store.db, workflow);
  return workflow.id;
}

async function publish(id: string): Promise<void> {
  await publishDraft(store.db, id, { note: "", publishedBy: ownerId, at: 1, versionsMax: 9 });
}

const save = (id: string, body: unknown) =>
  putDraft(store.db, id, { body: toBody(body), savedBy: ownerId, at: 2 });

const noUse: ChannelUses = { workflows: [], is_cut: false };
const limits = { workflowsAtOnce: 2, bytesAtOnce: 100, bytesMax: 1_000_000, workflowsMax: 100 };

test("Triggers and nodes of published workflows and of drafts are found by the slug and the kind", async () => {
  const both = await add("B", { triggers: [item("said", "team")], nodes: [item("say", "slack")] });
  await publish(both);
  const changed = await add("A", { triggers: [item("said", "team")], nodes: [] });
  await publish(changed);
  await save(changed, { triggers: [], nodes: [item("said", "team"), item("new", "team")] });
  const draft = await add("C", { nodes: [item("only", "team")], triggers: [item("x", "other")] });
  expect(await listChannelUses(store.db, ["team", "slack"], limits)).toEqual({
    workflows: [
      {
        id: changed,
        name: "A",
        places_more: 0,
        places: [
          { type: "trigger", id: "said", named: "team", bodies: ["published"] },
          { type: "node", id: "said", named: "team", bodies: ["draft"] },
          { type: "node", id: "new", named: "team", bodies: ["draft"] },
        ],
      },
      {
        id: both,
        name: "B",
        places_more: 0,
        places: [
          { type: "trigger", id: "said", named: "team", bodies: ["published", "draft"] },
          { type: "node", id: "say", named: "slack", bodies: ["published", "draft"] },
        ],
      },
      {
        id: draft,
        name: "C",
        places_more: 0,
        places: [{ type: "node", id: "only", named: "team", bodies: ["draft"] }],
      },
    ],
    is_cut: false,
  });
  expect(await listChannelUses(store.db, ["none"], limits)).toEqual(noUse);
  expect(await listChannelUses(store.db, [], limits)).toEqual(noUse);
});

test("A text that equals the name elsewhere, and a draft with errors, are no use and no failure", async () => {
  await add("Odd", {
    triggers: "odd",
    nodes: [null, 7, item("a", "odd", "http"), item("b", ["odd"]), { id: "odd", channel: "odd" }],
  });
  await add("Bare", { channel: "odd" });
  const found = await add("Nameless", { nodes: [item(7, "odd"), item("x".repeat(500), "odd")] });
  expect(await listChannelUses(store.db, ["odd"], limits)).toMatchObject({
    workflows: [{ id: found, places: [{ id: "7" }, { id: "x".repeat(100) }] }],
  });
});

test("A truncated answer says so: after many workflows, many places, or many bytes", async () => {
  const nodes = (count: number) => Array.from({ length: count }, (_, at) => item(`n${at}`, "many"));
  for (const name of ["M1", "M2", "M3"]) await publish(await add(name, { nodes: nodes(23) }));
  const all = await listChannelUses(store.db, ["many"], limits);
  expect(all.is_cut).toBeFalse();
  expect(all.workflows.map(({ places, places_more }) => [places.length, places_more])).toEqual(
    Array(3).fill([20, 3]),
  );
  const two = await listChannelUses(store.db, ["many"], { ...limits, workflowsMax: 2 });
  expect([two.workflows.length, two.is_cut]).toEqual([2, true]);
  const three = await listChannelUses(store.db, ["many"], { ...limits, workflowsMax: 3 });
  expect([three.workflows.length, three.is_cut]).toEqual([3, false]);
  const few = await listChannelUses(store.db, ["many"], { ...limits, bytesMax: 1_500 });
  expect(few.is_cut).toBeTrue();
  expect(few.workflows.length).toBeLessThan(3);
});

test("Other work runs between the portions of a search", async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await listChannelUses(store.db, ["many"], { ...limits, bytesAtOnce: 1 });
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(9);
});
