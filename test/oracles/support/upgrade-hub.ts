/** A hub that is run by the programs of several checkouts, one after the other. */
import { z } from "zod";
import { type ServerOf, startServer, toProgram } from "./old-server.ts";

export type Hub = {
  dataDir: string;
  env: Record<string, string>;
};

/** On SQLite without `databaseUrl`. */
export function defineHub(dataDir: string, databaseUrl?: string): Hub {
  const { PATH = "" } = process.env;
  return {
    dataDir,
    env: {
      PATH,
      HOME: dataDir,
      HUB_DATA_DIR: dataDir,
      HUB_ENC_KEY: "5".repeat(64),
      HUB_PORT: "0",
      HUB_USER_CALLS_PER_MINUTE: "0",
      SHOP_TOKEN: "s3cret-of-the-shop-9fK2xQ7vLm4R",
      ...(databaseUrl !== undefined && { HUB_DATABASE_URL: databaseUrl }),
    },
  };
}

export function startHubOf(
  checkout: string,
  { env }: Hub,
  more: Record<string, string> = {},
): Promise<ServerOf> {
  return startServer(checkout, { ...env, ...more });
}

type Outcome = { exitCode: number; stdout: string; stderr: string };

/** Runs a command by the program of a checkout. */
export async function tryCommand(checkout: string, hub: Hub, args: string[]): Promise<Outcome> {
  const program = toProgram(checkout);
  const command = Bun.spawn([program.bun, program.hub, ...args], {
    env: hub.env,
    cwd: hub.dataDir,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([command.stdout.text(), command.stderr.text()]);
  return { exitCode: await command.exited, stdout, stderr };
}

/** The same for a command that has to succeed. Returns its JSON. */
export async function runCommand(checkout: string, hub: Hub, args: string[]): Promise<unknown> {
  const { exitCode, stdout, stderr } = await tryCommand(checkout, hub, [...args, "--json"]);
  if (exitCode !== 0) throw new Error(`hub ${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Sends a request of the API. Throws unless it succeeds. */
export async function ask(
  url: string,
  token: string,
  [method, path, body]: [method: string, path: string, body?: unknown],
): Promise<unknown> {
  const answer = await send(url, token, [method, path, body]);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

function send(
  url: string,
  token: string,
  [method, path, body]: [method: string, path: string, body?: unknown],
): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const replySchema = z.object({
  result: z.object({
    isError: z.boolean().optional(),
    content: z.array(z.object({ text: z.string() })),
  }),
});

/** Calls an operation over MCP, and returns its text. Throws if it fails. */
export async function callTool(url: string, token: string, toolId: string, params: unknown) {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "hub_execute", arguments: { tool_id: toolId, params } },
  };
  const answer = await send(url, token, ["POST", "/mcp", message]);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${toolId}: ${answer.status} ${text}`);
  const json = text.startsWith("{") ? text : (/^data: (.+)$/m.exec(text)?.[1] ?? "");
  const { result } = replySchema.parse(JSON.parse(json));
  if (result.isError) throw new Error(`${toolId}: ${result.content[0]?.text}`);
  return result.content[0]?.text ?? "";
}

const waitMsMax = 60_000;

/** Throws if the condition does not come true within a minute. */
export async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + waitMsMax;
  while (!(await isTrue())) {
    if (Date.now() > until) throw new Error(`Not within ${waitMsMax / 1000} s: ${isTrue}`);
    await Bun.sleep(100);
  }
}
