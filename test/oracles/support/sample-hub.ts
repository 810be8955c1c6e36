/**
 * A hub as a small company has it after a day of work, for pictures: rows of REST APIs, users, and
 * recorded calls of the last day. All names are invented.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { createDataFolder } from "../../support/data-folder.ts";
import { type HubOptions, type RunningHub, startHub } from "../../support/start-hub.ts";
import { waitFor } from "../../support/wait-for.ts";
import { type AppUser, openSession, readFirstAdmin } from "./open-app.ts";
import { openPluginSite, type PluginSite } from "./plugin-site.ts";
import { openSampleApi } from "./sample-api.ts";

export type SampleHub = AsyncDisposable & {
  hub: RunningHub;
  base: string;
  site: PluginSite;
  admin: AppUser;
  /** For the management API. */
  token: string;
  rows: Record<SampleRow, string>;
  users: Record<string, string>;
};

type SampleRow = "billing" | "tracker" | "forecast" | "warehouse" | "staging";
type Call = { row: SampleRow; operation: string; path: string; body?: unknown };

const calls: Call[] = [
  { row: "tracker", operation: "get", path: "/issues" },
  { row: "billing", operation: "get", path: "/invoices" },
  { row: "forecast", operation: "get", path: "/forecast" },
  { row: "tracker", operation: "get", path: "/issues/417" },
  { row: "billing", operation: "get", path: "/account" },
  { row: "tracker", operation: "post", path: "/comments", body: { text: "Fixed in 2.4.1" } },
  { row: "billing", operation: "get", path: "/invoices/2026-1147" },
  { row: "tracker", operation: "get", path: "/issues" },
];
/** Calls of the 24 hours before now, oldest first. */
const callsByHour = [
  2, 1, 0, 1, 0, 2, 3, 8, 14, 17, 21, 18, 9, 15, 22, 19, 16, 11, 7, 5, 6, 9, 12, 4,
];
const clients = ["claude-code/2.1.4 (cli)", "codex_cli_rs/0.98.0", "Cursor/2.3.1"];

/** Starts the hub, fills it, and starts it again with the recorded calls at their times. */
export async function openSampleHub(options: HubOptions = {}): Promise<SampleHub> {
  await using owned = new AsyncDisposableStack();
  const site = owned.use(await openSamplePlugins());
  const { path: dataDir } = owned.use(await createDataFolder());
  const env = { HUB_PLUGIN_CATALOG: site.catalog, ...options.env };
  const start = () => startHub({ hasCheapPasswords: true, ...options, dataDir, env });
  const first = await start();
  const firstBase = `http://localhost:${first.port}`;
  const signedIn = await openSession(firstBase, readFirstAdmin(first));
  const token = await first.makeManageToken();
  const api = openSampleApi();
  owned.defer(() => api.stop(true));
  const users = await addUsers(first, firstBase, token);
  const rows = await addRows(firstBase, token, String(api.url));
  await makeCalls(first, firstBase, { token, rows });
  await setAddresses(firstBase, token, rows);
  await first.stop();
  spreadOverDay(dataDir);
  const hub = owned.use(await start());
  const base = `http://localhost:${hub.port}`;
  const cookies = signedIn.cookies.map((cookie) => ({ ...cookie, url: base }));
  await waitFor(async () => {
    const { total } = await callApi<{ total: { runs: number } }>(
      base,
      token,
      "GET /manager/api/runs/summary",
    );
    return total.runs > 0;
  });
  const resources = owned.move();
  return {
    hub,
    base,
    site,
    token,
    rows,
    users,
    admin: { ...signedIn, cookies },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A catalog with plugins for this machine, and one that has no build for it. */
async function openSamplePlugins(): Promise<PluginSite> {
  const site = await openPluginSite();
  for (const [key, name, description] of [
    ["codehost", "Code host", "Reads and changes repositories, issues and pull requests."],
    ["logs", "Logs", "Searches logs and their labels in a log store with LogQL."],
    ["calendar", "Calendar", "Finds free times and books meetings."],
  ] as const) {
    site.offer({ key, name, description });
  }
  site.addEntry({
    key: "printer",
    name: "Label printer",
    description: "Prints labels in the warehouse.",
    version: "0.3.0",
    assets: { "plan9/mips": "printer.zip" },
  });
  return site;
}

async function addUsers(hub: RunningHub, base: string, token: string) {
  const ids: Record<string, string> = {};
  for (const [email, name, ...tags] of [
    ["mei.tanaka@example.com", "Mei Tanaka", "support", "engineering"],
    ["jonas.weber@example.com", "Jonas Weber", "finance"],
    ["priya.nair@example.com", "Priya Nair", "engineering", "on-call"],
    ["luis.ortega@example.com", "Luis Ortega", "support"],
  ] as const) {
    const user = await callApi<{ id: string }>(base, token, "POST /admin/api/users", {
      email,
      name,
      tags,
    });
    ids[email] = user.id;
    await hub.cli("token", "create", "--user", email, "--name", "Laptop");
  }
  const { user } = await callApi<{ user: { id: string } }>(base, token, "GET /profile/api/me");
  await callApi(base, token, `PATCH /admin/api/users/${user.id}`, { name: "Sam Rivera" });
  return { ...ids, admin: user.id };
}

async function addRows(
  base: string,
  token: string,
  url: string,
): Promise<Record<SampleRow, string>> {
  const add = async (label: string, description: string, tags: string[], isComplete = true) => {
    const secret = isComplete ? { token: "sk-live-4f9c2d81b7e05a36" } : {};
    const values = { base_url: url, auth_mode: "bearer", ...secret };
    const row = { connector: "http", label, description, tags, values };
    return (await callApi<{ id: string }>(base, token, "POST /manager/api/rows", row)).id;
  };
  const rows = {
    billing: await add("Billing", "Invoices, customers and refunds", ["finance", "support"]),
    tracker: await add("Issue tracker", "Bugs and requests", ["support", "engineering"]),
    forecast: await add("Weather", "Forecasts for the delivery regions", ["everyone"]),
    warehouse: await add("Warehouse", "Stock and deliveries", ["operations"], false),
    staging: await add("Billing (staging)", "For tries; reset each night", ["engineering"]),
  };
  await callApi(base, token, `POST /manager/api/rows/${rows.staging}/disable`);
  for (const operation of ["delete", "put"]) {
    const path = `/manager/api/rows/${rows.billing}/operations/${operation}/disable`;
    await callApi(base, token, `POST ${path}`);
  }
  return rows;
}

async function makeCalls(
  hub: RunningHub,
  base: string,
  { token, rows }: { token: string; rows: Record<SampleRow, string> },
): Promise<void> {
  const total = callsByHour.reduce((sum, count) => sum + count, 0);
  const execute = (userAgent: string, args: object, name = "hub_execute") =>
    fetch(`${base}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${hub.adminToken()}`,
        "content-type": "application/json",
        "user-agent": userAgent,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      }),
    }).then((answer) => answer.text());
  for (let at = 0; at < total; at += 1) {
    const { row, operation, path, body } = pick(calls, at);
    const client = pick(clients, Math.floor(at / 7));
    if (at % 29 === 5) {
      await execute(client, { tool_id: `conn:${rows.billing}/delete`, params: { path: "/" } });
    } else if (at % 23 === 11) {
      await execute(client, { tool_id: `conn:${rows.tracker}/get`, params: { path: "/broken" } });
    } else if (at % 41 === 3) {
      await execute(client, { query: "open invoices" }, "hub_search");
    } else {
      const params = { path, ...(body !== undefined && { body }) };
      await execute(client, { tool_id: `conn:${rows[row]}/${operation}`, params });
    }
  }
  await callApi(base, token, `POST /manager/api/rows/${rows.billing}/operations/get/test`, {
    params: { path: "/invoices" },
  });
}

/** The addresses that the rows show, instead of that of the sample API. Only "Weather" can be called. */
async function setAddresses(
  base: string,
  token: string,
  rows: Record<SampleRow, string>,
): Promise<void> {
  for (const [row, url] of [
    ["billing", "https://billing.example.com/v2"],
    ["tracker", "https://issues.example.com/api"],
    ["warehouse", "https://stock.example.com"],
    ["staging", "https://billing-staging.example.com/v2"],
  ] as const) {
    const path = `/manager/api/rows/${rows[row]}`;
    const { version } = await callApi<{ version: number }>(base, token, `GET ${path}`);
    await callApi(base, token, `PATCH ${path}`, { version, values: { base_url: url } });
  }
}

/**
 * Moves the recorded calls to the times of `callsByHour`. The first part of the id of a run is its
 * time, by which pages are sorted.
 */
function spreadOverDay(dataDir: string): void {
  using db = new Database(join(dataDir, "hub.sqlite"));
  const now = Date.now();
  const hourMs = 3_600_000;
  const times = callsByHour.flatMap((count, hour) => {
    const from = now - (callsByHour.length - hour) * hourMs;
    return Array.from(
      { length: count },
      (_, at) => from + Math.floor(((at + 0.5) * hourMs) / count),
    );
  });
  const read = "select id, started_at, ended_at from connector_runs order by id";
  const runs: Array<{ id: string }> = Object(db.query(read).all());
  const write = db.prepare(
    "update connector_runs set id = ?, started_at = ?, ended_at = ?, latency_ms = ?, ip_address = ? where id = ?",
  );
  runs.forEach(({ id }, index) => {
    const at = times[times.length - runs.length + index] ?? now - 1000 * (runs.length - index);
    const latencyMs = 38 + ((index * 97) % 211) + (index % 17 === 0 ? 640 : 0);
    const hex = at.toString(16).padStart(12, "0");
    const moved = `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}`;
    write.run(moved, at, at + latencyMs, latencyMs, `203.0.113.${20 + (index % 5)}`, id);
  });
  db.run("delete from run_hours");
  db.run("update run_hours_until set ended_before = ?", [now - 25 * hourMs]);
  // Without these, the rows have worked with their addresses.
  db.run("delete from row_activity");
  db.run("update row_activity_until set ended_before = ?", [now - 25 * hourMs]);
}

function pick<Item>(items: readonly Item[], at: number): Item {
  const item = items[at % items.length];
  if (item === undefined) throw new Error("There is nothing to pick from.");
  return item;
}

/** Sends a request to the management API. */
async function callApi<T = object>(
  base: string,
  token: string,
  route: string,
  body?: unknown,
): Promise<T> {
  const [method = "", path = ""] = route.split(" ");
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "user-agent": "hub-cli",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  // The shape is that of the documented answer.
  return (await response.json()) as T;
}
