/**
 * Connections as a hub has them after a year, for pictures: many rows in different states, with long
 * labels, refused credentials, failing calls and operations that wait for a review. All names are invented.
 */
import { callApi } from "./fill-admin-pages.ts";
import type { SampleHub } from "./sample-hub.ts";

type Added = { label: string; description: string; tags: string[]; path: string };

const added: readonly Added[] = [
  ["Customer data", "People and companies that buy", ["support", "sales"], "/ok"],
  ["Payments (EU)", "Charges and refunds in euros", ["finance"], "/failing"],
  ["Payments (US)", "Charges and refunds in dollars", ["finance"], "/ok"],
  ["Parcel tracking", "Where a parcel is", ["support", "operations"], "/slow"],
  ["Product catalog", "Products, prices and pictures", ["everyone"], "/ok"],
  ["Mail", "Messages to customers", ["support"], "/refused"],
  ["Public holidays", "By country and region", ["everyone"], "/ok"],
  ["Exchange rates", "Of the last day", ["finance", "sales"], "/ok"],
  ["Job queue of the print service in Rotterdam and its replacement in Antwerp", "", [], "/ok"],
  ["Time sheets", "Hours by project", ["finance", "engineering"], "/ok"],
  ["Feature flags", "Which customers see what", ["engineering", "on-call"], "/failing"],
  ["Build server", "Builds and their logs", ["engineering", "on-call"], "/closed"],
  ["Status page", "Incidents that customers see", ["on-call"], "/ok"],
  ["Contracts", "", ["legal"], "/never"],
  ["Surveys", "Answers of customers", ["sales"], "/never"],
  ["Desk bookings", "", ["everyone"], "/off"],
].map(([label, description, tags, path]) => ({ label, description, tags, path }) as Added);

const paths = ["orders/17", "customers/4711", "search?q=open", "orders/2026-1147/lines"];
const clients = ["claude-code/2.1.4 (cli)", "codex_cli_rs/0.98.0", "Cursor/2.3.1"];

/** A row whose operations wait for a review, and rows whose calls succeed, are refused and fail. */
export type SampleConnections = Record<"reviewed" | "good" | "refused" | "failing", string>;

/** Adds the rows and calls them as three users. */
export async function addSampleConnections(sample: SampleHub): Promise<SampleConnections> {
  const { base, token, hub } = sample;
  const call = <T = { id: string }>(route: string, body?: unknown) =>
    callApi<T>(base, token, route, body);
  const api = openApi();
  const tokens = await makeTokens(hub);
  const ids = new Map<string, string>();
  for (const { path, ...row } of added) {
    const address = path === "/closed" ? "http://127.0.0.1:9" : `${api.url}${path.slice(1)}`;
    const values = { base_url: address, auth_mode: "bearer", token: "sk-live-4f9c2d81b7e05a36" };
    const { id } = await call("POST /manager/api/rows", { connector: "http", ...row, values });
    ids.set(path, id);
    if (path === "/off") await call(`POST /manager/api/rows/${id}/disable`);
    if (path === "/off" || path === "/never") continue;
    for (const [at, wanted] of [...paths, ...paths].entries()) {
      const name = at % 4 === 3 ? "post" : "get";
      const params = { path: `/${wanted}`, ...(name === "post" && { body: { note: "by phone" } }) };
      await execute(base, tokens[at % tokens.length] ?? "", {
        client: clients[at % clients.length] ?? "",
        args: { tool_id: `conn:${id}/${name}`, params },
      });
    }
  }
  await call("POST /manager/api/rows", {
    connector: "mcp",
    label: "Design files",
    description: "Frames, components and comments",
    tags: ["engineering"],
    values: { url: "https://design.example.com/mcp" },
  });
  const find = (path: string) => ids.get(path) ?? "";
  return {
    reviewed: await addWaiting(call),
    good: find("/ok"),
    refused: find("/refused"),
    failing: find("/failing"),
  };
}

/** Answers by the first part of the path. */
function openApi() {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(req) {
      const [, kind] = new URL(req.url).pathname.split("/");
      if (kind === "slow") await Bun.sleep(400);
      if (kind === "refused") {
        return Response.json({ error: "The key has been withdrawn." }, { status: 401 });
      }
      if (kind === "failing") {
        const error = "The upstream payment provider did not answer in time (pool of 20 is empty).";
        return Response.json({ error }, { status: 502 });
      }
      return Response.json({ id: 17, state: "open", lines: [{ sku: "A-100", count: 2 }] });
    },
  });
  server.unref();
  return server;
}

async function makeTokens(hub: SampleHub["hub"]): Promise<string[]> {
  const tokens: string[] = [];
  for (const email of ["admin@localhost", "mei.tanaka@example.com", "priya.nair@example.com"]) {
    const made = await hub.cli("token", "create", "--user", email, "--name", "Desk", "--json");
    tokens.push(made.json<{ token: string }>().token);
  }
  return tokens;
}

async function execute(
  base: string,
  token: string,
  { client, args }: { client: string; args: object },
): Promise<void> {
  const answer = await fetch(`${base}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "user-agent": client,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "hub_execute", arguments: args },
    }),
  });
  await answer.text();
}

/** A row of an API with 60 operations of which the first ones are approved. */
async function addWaiting(
  call: <T = { id: string }>(route: string, body?: unknown) => Promise<T>,
): Promise<string> {
  const values = { base_url: "https://helpdesk.example.com/api/v3" };
  const row = { connector: "openapi", label: "Help desk", tags: ["support"], values };
  const { id } = await call("POST /manager/api/rows", row);
  const responses = { 200: { description: "Done" } };
  const kinds = ["tickets", "customers", "macros", "views", "satisfaction_ratings"];
  const verbs = [
    ["get", "", "Lists the"],
    ["post", "", "Makes one of the"],
    ["get", "/{id}", "Reads one of the"],
    ["put", "/{id}", "Replaces one of the"],
    ["delete", "/{id}", "Deletes one of the"],
  ] as const;
  const toDocument = (changed: boolean) => {
    const documented: Record<string, Record<string, object>> = {};
    for (const kind of kinds) {
      for (const [method, end, words] of verbs) {
        const summary = `${words} ${kind.replaceAll("_", " ")}${changed ? " of a brand" : ""}.`;
        const parameters =
          end === "" ? [] : [{ name: "id", in: "path", required: true, schema: {} }];
        const path = `/${kind}${end}`;
        documented[path] = {
          ...documented[path],
          [method]: {
            operationId: `${method}_${kind}${end && "_by_id"}`,
            summary,
            parameters,
            responses,
          },
        };
      }
    }
    const info = { title: "Help desk", version: changed ? "3.1" : "3.0" };
    return JSON.stringify({ openapi: "3.1.0", info, paths: documented });
  };
  await call(`POST /manager/api/rows/${id}/discover`, { document: toDocument(false) });
  const path = `/manager/api/rows/${id}`;
  const { lines } = await call<{ lines: Array<{ key: string; digest: string }> }>(
    `GET ${path}/review/lines?limit=8`,
  );
  const operations = lines.map(({ key, digest }) => ({ key, digest }));
  await call(`POST ${path}/approve`, { operations });
  await call(`POST ${path}/discover`, { document: toDocument(true) });
  return id;
}
