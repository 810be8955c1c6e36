import { join } from "node:path";
import { z } from "zod";
import { endWithRunner } from "../../support/end-with-runner.ts";

/** A request that is sent again and again. */
export type RequestOf = { name: string; send(): Promise<number> };

/** A server that runs, at its address. */
export type ServerOf = AsyncDisposable & { url: string };

export type OldServer = ServerOf & {
  env: Record<string, string>;
  requests: RequestOf[];
  /** The same requests to a server beside it, about the same row and workflow. */
  toRequests(url: string): RequestOf[];
  /** What a server answers to a GET, as JSON. */
  read(url: string, path: string): Promise<unknown>;
  workflowPath: string;
};

const tokenSchema = z.object({ token: z.string() });
const idSchema = z.object({ id: z.string() });
const rowsSchema = z.object({ rows: z.array(z.object({ id: z.string() })) });
const versionSchema = z.object({ version: z.int() });
const startMsMax = 30_000;

/** Starts `hub serve` of a checkout. */
export async function startServer(folder: string, env: Record<string, string>): Promise<ServerOf> {
  const { bun, hub } = toProgram(folder);
  const child = Bun.spawn([bun, hub, "serve"], {
    env: { HUB_LOG_LEVEL: "error", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  endWithRunner(child);
  return {
    url: await readUrl(child.stdout),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** Starts such a server with a user, a row and a workflow, by what all its versions have. */
export async function startOldServer(
  folder: string,
  settings: Record<string, string>,
): Promise<OldServer> {
  const { PATH = "" } = process.env;
  const env = {
    PATH,
    HOME: settings.HUB_DATA_DIR ?? "",
    HUB_ENC_KEY: "5".repeat(64),
    HUB_PORT: "0",
    HUB_USER_CALLS_PER_MINUTE: "0",
    HUB_WORKFLOW_REQUESTS_PER_MINUTE: "0",
    ...settings,
  };
  const server = await startServer(folder, env);
  const { bun, hub } = toProgram(folder);
  const cli = async (...args: string[]): Promise<unknown> => {
    const command = Bun.spawn([bun, hub, ...args, "--json"], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [text, complaint] = await Promise.all([command.stdout.text(), command.stderr.text()]);
    if ((await command.exited) !== 0) throw new Error(`hub ${args.join(" ")}: ${complaint}`);
    return JSON.parse(text);
  };
  const email = "old@localhost";
  await cli("user", "add", email, "--admin");
  const named = ["--user", email, "--name", "old", "--scope", "manage"];
  const { token } = tokenSchema.parse(await cli("token", "create", ...named));
  const subjects = await addSubjects(toClient(server.url, token));
  const toRequests = (url: string) => listRequests(toClient(url, token), subjects);
  return {
    ...server,
    env,
    requests: toRequests(server.url),
    toRequests,
    read: async (url, path) => await toClient(url, token).read("GET", path),
    workflowPath: subjects.path,
  };
}

/** The program of a checkout: its runtime, and its file. */
export function toProgram(folder: string): { bun: string; hub: string } {
  return {
    bun: join(folder, "node_modules/.bin/bun"),
    hub: join(folder, "packages/cli/src/hub.ts"),
  };
}

async function readUrl(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.getReader();
  const decoder = new TextDecoder();
  const until = Date.now() + startMsMax;
  for (let text = ""; Date.now() < until; ) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The server ended: ${text}`);
    text += decoder.decode(value, { stream: true });
    const found = /http:\/\/[\w.:]+:\d+/.exec(text)?.[0];
    if (found === undefined) continue;
    void drain(reader);
    return found;
  }
  throw new Error("The server did not say where it listens.");
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}

type Client = ReturnType<typeof toClient>;

function toClient(url: string, token: string) {
  const call = async (method: string, path: string, body?: unknown): Promise<Response> =>
    await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const read = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await call(method, path, body);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  return { call, read };
}

/** What the requests are about. `path` is that of the workflow. */
type Subjects = { rowId: string; workflowId: string; path: string };

async function addSubjects({ read }: Client): Promise<Subjects> {
  const [row] = rowsSchema.parse(await read("GET", "/manager/api/rows")).rows;
  const body = {
    triggers: [{ id: "hook", type: "webhook", path: "run", entry: "set" }],
    nodes: [{ id: "set", type: "set", value: { n: "1" } }],
  };
  const workflow = idSchema.parse(
    await read("POST", "/manager/api/workflows", { name: "Old", body }),
  );
  const path = `/manager/api/workflows/${workflow.id}`;
  await read("POST", `${path}/publish`, { revision: 1 });
  return { rowId: row?.id ?? "", workflowId: workflow.id, path };
}

/** Reads and writes of each part of the hub. */
function listRequests({ call }: Client, { rowId, workflowId, path }: Subjects): RequestOf[] {
  const toRequest = (name: string, ...sent: Parameters<typeof call>): RequestOf => ({
    name,
    async send() {
      const answer = await call(...sent);
      await answer.arrayBuffer();
      return answer.status;
    },
  });
  const tool = (name: string, args: unknown) =>
    toRequest(name, "POST", "/mcp", {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    });
  const lists = ["rows", "workflows", "runs", "runs/counts", "connectors", "plugins", "approvals"];
  const rowPath = `/manager/api/rows/${rowId}`;
  const changeRow = async () => {
    const shown = await call("GET", rowPath);
    if (!shown.ok) return shown.status;
    const { version } = versionSchema.parse(await shown.json());
    const changed = await call("PATCH", rowPath, { description: `Version ${version}`, version });
    await changed.arrayBuffer();
    return changed.status;
  };
  return [
    tool("hub_list", {}),
    tool("hub_search", { query: "who am I" }),
    tool("hub_execute", { tool_id: `conn:${rowId}/whoami`, params: {} }),
    ...lists.map((name) => toRequest(name, "GET", `/manager/api/${name}`)),
    ...["users", "changes"].map((name) => toRequest(name, "GET", `/admin/api/${name}`)),
    ...["tokens", "sessions"].map((name) => toRequest(name, "GET", `/profile/api/${name}`)),
    toRequest("one row", "GET", rowPath),
    { name: "change of a row", send: changeRow },
    toRequest("one workflow", "GET", path),
    toRequest("runs of a workflow", "GET", `${path}/runs`),
    toRequest("webhook", "POST", `/webhook/${workflowId}/run`, { n: 1 }),
    toRequest("sign-in page", "GET", "/auth/login"),
    toRequest("health", "GET", "/health"),
    toRequest("readiness", "GET", "/ready"),
  ];
}
