import { appPages } from "@hub/contract/app-pages.ts";
import { queryDatabase } from "../../support/query-database.ts";
import { callApi } from "./fill-admin-pages.ts";
import { fillWaitingCalls } from "./fill-waiting-calls.ts";
import type { App } from "./open-app.ts";

/** Tabs of pages that have some. */
const tabs: Readonly<Record<string, readonly string[]>> = {
  "/manager/connectors/$key/$row": ["operations", "test", "history", "access", "rules"],
  "/workflows/$workflow": ["runs", "versions", "settings"],
  "/approvals": ["decided", "permits"],
};
/** Beside those of a waiting approval, whose page is one of a running workflow. */
const left = new Set(["/approvals/$approval"]);

/**
 * The address of every page of the app, of its tabs, and of a dialog that has an address, of things that exist. Makes a
 * workflow with a changed draft, and a run, calls that wait for the admin, and rows with accounts of their users.
 */
export async function listMeasuredPages(app: App, waitingCalls: number): Promise<string[]> {
  const token = await app.hub.makeManageToken();
  const api = <T>(route: string, body?: unknown) => callApi<T>(app.base, token, route, body);
  const { rows } = await api<{ rows: Named[] }>("GET /manager/api/rows?connector=http&limit=1");
  const { operations } = await api<{ operations: Array<{ key: string }> }>(
    `GET /manager/api/rows/${rows[0]?.id}`,
  );
  const { users } = await api<{ users: Named[] }>("GET /admin/api/users?limit=1");
  const { runs } = await api<{ runs: Named[] }>("GET /manager/api/runs?limit=1");
  const workflow = await addWorkflow(api);
  const call = await fillWaitingCalls(app, rows[0]?.id ?? "", waitingCalls);
  openRowsToAccounts(app);
  const parts: Record<string, string | undefined> = {
    $key: "http",
    $row: rows[0]?.id,
    $operation: operations[0]?.key,
    $user: users[0]?.id,
    $tag: "fill",
    $workflow: workflow.id,
    $call: call,
  };
  const pages = appPages
    .filter((page) => !left.has(page))
    .flatMap((page) => {
      const run = page.startsWith("/workflows") ? workflow.run : runs[0]?.id;
      const path = page.replace(/\$\w+/g, (name) => (name === "$run" ? run : parts[name]) ?? "");
      return [path, ...(tabs[page] ?? []).map((tab) => `${path}?tab=${tab}`)];
    });
  return [...pages, `/workflows/${workflow.id}?open=publish`];
}

/** Each user types an own token for each row of HTTP. */
function openRowsToAccounts({ hub: { dataDir } }: App): void {
  const http = "select id from connector_rows where connector_key = 'http'";
  for (const statement of [
    `update connector_rows set access = 'own' where id in (${http})`,
    `insert or replace into row_values (row_id, field_key, value) select id, 'auth_mode', 'bearer' from (${http})`,
    "update revision set value = value + 1",
  ]) {
    queryDatabase(dataDir, statement);
  }
}

type Named = { id: string };
type Api = <T>(route: string, body?: unknown) => Promise<T>;

async function addWorkflow(api: Api): Promise<{ id: string; run: string }> {
  const body = {
    triggers: [{ id: "start", type: "manual", entry: "one" }],
    nodes: [{ id: "one", type: "set", value: 1 }],
  };
  const { id } = await api<Named>("POST /manager/api/workflows", { name: "Report", body });
  await api(`POST /manager/api/workflows/${id}/publish`, { revision: 1 });
  const { run_id: run } = await api<{ run_id: string }>(
    `POST /manager/api/workflows/${id}/runs`,
    {},
  );
  const changed = { ...body, nodes: [{ id: "one", type: "set", value: 2 }] };
  await api(`PUT /manager/api/workflows/${id}/draft`, { revision: 1, body: changed });
  return { id, run };
}
