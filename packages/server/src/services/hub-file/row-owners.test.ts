/** Protects: a row's secrets never go to other code than that for which the row was made. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { HubFile } from "@hub/contract/hub-file.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { localAdmin } from "../../identity/local-admin.ts";
import { insertRow, listRows } from "../../store/rows/rows-table.ts";
import { newRow } from "../../store/test-data.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { applyHubFile } from "./apply-hub-file.ts";
import { exportHub } from "./export-hub.ts";
import { readHubFile } from "./read-hub-file.ts";
import { writeHubFile } from "./write-hub-file.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
  await hub.admin.users.add({ email: "ann@example.com", role: "admin" });
});
afterAll(() => hub.close());

const tracker = "tracker";

/** Other code with the same fields. */
function have(key: string, tier: RegisteredConnector["tier"]): void {
  const { registry } = hub.deps;
  const known = registry.find(tracker);
  if (known === null) throw new Error("The fixture has no tracker.");
  registry.unregister(key);
  registry.register({ ...known, key, tier, invoke: async () => ({ ran: tier }) });
}

beforeEach(async () => {
  for (const { id } of await listRows(hub.deps.store.db)) await hub.admin.rows.delete(id);
  for (const { key } of hub.deps.registry.list()) {
    if (key !== tracker) hub.deps.registry.unregister(key);
  }
});

async function apply(text: string): Promise<string> {
  // Safe: with the members that a file of rows needs.
  const author = { actor: { ...localAdmin, via: "cli" }, caller: localAdmin } as never;
  const options = {
    isDryRun: false,
    isPruning: false,
    cwd: "/",
    readReference: async () => "",
  } as never;
  return await applyHubFile(hub.deps as never, author, readHubFile(text), options).then(
    () => "applied",
    (thrown) => String(thrown.message),
  );
}

const file = (connector: string, from?: string) =>
  `hub_file: 1\nrows:\n  - connector: ${connector}\n${from === undefined ? "" : `    from: ${from}\n`}    label: Team\n`;

test("An exported row names its owner, and the same file is applied again", async () => {
  have("chat", "plugin");
  await hub.admin.rows.add({ connector: "chat", label: "Theirs" });
  await hub.admin.rows.add({ connector: tracker, label: "Ours" });
  const exported = await exportHub(hub.deps);
  expect(exported.rows?.map(({ connector, from }) => [connector, from])).toEqual([
    ["chat", "plugin"],
    [tracker, "built-in"],
  ]);
  expect(await apply(writeHubFile({ hub_file: 1, rows: exported.rows ?? [] }))).toBe("applied");
});

test("A row whose key other code has now is exported with its owner and without the fields of that code", async () => {
  have("chat", "plugin");
  await hub.admin.rows.add({ connector: "chat", label: "Theirs", values: { token: "s3cret" } });
  have("chat", "builtin");
  const [row] = (await exportHub(hub.deps)).rows ?? [];
  expect(row?.from).toBe("plugin");
  expect(row?.values).not.toHaveProperty("token");
});

test.each([
  ["plugin", "builtin", "belongs to the built-in connector"],
  ["built-in", "plugin", "belongs to the plugin"],
] as const)("A file with a row of a %s is refused where the key is the other's", async (from, tier, words) => {
  have("chat", tier);
  const refusal = await apply(file("chat", from));
  expect(refusal).toContain("Line 4 (rows.0.from)");
  expect(refusal).toContain(words);
  expect(await listRows(hub.deps.store.db)).toEqual([]);
});

test("A file with a row of a built-in connector says the key that this connector has here", async () => {
  have("hub_chat", "builtin");
  expect(await apply(file("chat", "built-in"))).toContain("Write connector: hub_chat.");
  have("chat", "plugin");
  expect(await apply(file("chat", "built-in"))).toContain("Write connector: hub_chat.");
  expect(await apply(file("hub_chat", "built-in"))).toBe("applied");
});

test("A file without owners is applied by its keys", async () => {
  have("chat", "plugin");
  expect(await apply(file("chat"))).toBe("applied");
  const [row] = await listRows(hub.deps.store.db);
  expect(row?.owner).toBe("plugin");
});

test("A file does not change a row of which other code has the key now", async () => {
  have("chat", "plugin");
  expect(await apply(file("chat"))).toBe("applied");
  have("chat", "builtin");
  expect(await apply(file("chat"))).toContain('was made for the plugin "chat"');
});

test("Such a row neither runs, nor is it copied", async () => {
  have("chat", "plugin");
  const { id } = await hub.admin.rows.add({ connector: "chat", label: "Theirs" });
  const [kept] = await listRows(hub.deps.store.db);
  expect(kept?.owner).toBe("plugin");
  have("chat", "builtin");
  const signal = new AbortController().signal;
  const ctx = {
    caller: localAdmin,
    signal,
    origin: { source: "test" as const, ip: null, userAgent: null },
  };
  const { operations } = hub.deps;
  // Safe: with the members that are read before the row is refused.
  const run = operations.calls.call(
    ctx as never,
    { toolId: `conn:${id}/read`, params: {}, path: "manager" } as never,
  );
  expect(await failureOf(run)).toContain("does not get its secrets");
  expect(await failureOf(hub.admin.rows.duplicate(id, {}))).toContain("does not get its secrets");
});

test("A row without an owner works as before", async () => {
  have("chat", "plugin");
  const { id } = await insertRow(hub.deps.store.db, newRow({ connectorKey: "chat" }));
  expect((await hub.admin.rows.duplicate(id, {})).connector).toBe("chat");
});

/** A file with a workflow that calls a row, as a hub exports it. */
async function exportWorkflow(tier: RegisteredConnector["tier"], key = "chat"): Promise<HubFile> {
  have(key, tier);
  const { id } = await hub.admin.rows.add({ connector: key, label: "Team" });
  const body = { nodes: [{ id: "send", type: "operation", tool_id: `conn:${id}/read` }] };
  const facts = { id: "greet", name: "Greet", owner: "ann@example.com", published: false };
  const file = { hub_file: 1, workflows: [{ ...facts, body }] };
  expect(await apply(JSON.stringify(file))).toBe("applied");
  const { workflows } = await exportHub(hub.deps);
  return { hub_file: 1, workflows: workflows ?? [] };
}

test("An exported workflow names the connectors of the rows that it calls, and is applied again", async () => {
  const file = await exportWorkflow("plugin");
  const [workflow] = file.workflows ?? [];
  expect(Object.values(workflow?.rows ?? {})).toEqual([{ connector: "chat", from: "plugin" }]);
  expect(await apply(writeHubFile(file))).toBe("applied");
});

test("A workflow is refused where the row that it calls is of other code", async () => {
  const file = await exportWorkflow("plugin");
  const [row] = await listRows(hub.deps.store.db);
  const present = { id: row?.id ?? "", connectorKey: "chat", label: "Team" };
  for (const owner of ["built-in", "plugin"] as const) {
    await hub.admin.rows.delete(present.id);
    have("chat", owner === "plugin" ? "plugin" : "builtin");
    await insertRow(hub.deps.store.db, newRow({ ...present, owner }));
    const answer = await apply(writeHubFile(file));
    if (owner === "plugin") expect(answer).toBe("applied");
    else {
      expect(answer).toContain(`(workflows.0.rows.${present.id})`);
      expect(answer).toContain('The node "send" calls a row of the plugin "chat"');
      expect(answer).toContain('is of the built-in connector "chat". Choose');
    }
  }
});

test("A workflow's row of a built-in connector may have the key that this has beside a plugin", async () => {
  const file = await exportWorkflow("builtin");
  const [row] = await listRows(hub.deps.store.db);
  await hub.admin.rows.delete(row?.id ?? "");
  have("hub_chat", "builtin");
  const moved = { id: row?.id ?? "", connectorKey: "hub_chat", owner: "built-in" as const };
  await insertRow(hub.deps.store.db, newRow(moved));
  expect(await apply(writeHubFile(file))).toBe("applied");
});

async function failureOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    (value) => `no failure but ${JSON.stringify(value)}`,
    (thrown) => String(thrown.message),
  );
}
