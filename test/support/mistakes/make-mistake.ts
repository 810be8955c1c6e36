/** How ordinary mistakes are made on a real hub. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { layDatabase } from "@hub/server/store/testing/open-test-store.ts";
import type { CommandProcess } from "../command-process.ts";
import type { RunningHub } from "../start-hub.ts";

/** What mistakes are made with. */
export type MistakeBench = {
  hub: RunningHub;
  /** Runs commands on the folder of the hub. */
  commands: CommandProcess;
  /** A folder for files of mistakes. */
  folder: string;
  userToken: string;
};

/** A mistake in words, and how it is made. Resolves with what the hub says. */
type Mistake = { group: string; words: string; make(bench: MistakeBench): Promise<string> };

export const mistakes: Mistake[] = [];

export function add(group: string, words: string, make: Mistake["make"]): void {
  mistakes.push({ group, words, make });
}

/** A command line on the hub's folder, in the words of a shell without quotes. */
export function command(
  words: string,
  {
    env = {},
    stdin = "",
    dataDir,
  }: { env?: Record<string, string>; stdin?: string; dataDir?: string } = {},
): Mistake["make"] {
  return async ({ commands, hub, folder }) => {
    const place = dataDir === undefined ? hub.dataDir : join(folder, dataDir);
    const argv = words.split(" ").map((word) => word.replaceAll("FOLDER", folder));
    const said = await commands.run({
      argv,
      stdin,
      cwd: folder,
      env: { HUB_DATA_DIR: place, ...env },
    });
    return said.stderr || said.stdout;
  };
}

/** A line of `hub doctor` in a folder without a server. */
export function doctor(env: Record<string, string>, name: string): Mistake["make"] {
  return async ({ commands, folder }) => {
    const dataDir = join(folder, "quiet");
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await layDatabase(dataDir);
    const { json } = await commands.run({
      argv: ["doctor", "--json"],
      env: { HUB_DATA_DIR: dataDir, ...env },
    });
    const { checks } = json<{ checks: { name: string; message: string }[] }>();
    return checks.find((check) => check.name === name)?.message ?? "";
  };
}

/** A request to the server. */
export function request(path: string, init: RequestInit = {}): Mistake["make"] {
  return async ({ hub }) => await readError(await fetch(`${hub.url}${path}`, init));
}

/** A message to /mcp with the admin's token. */
export function message(body: unknown, headers: Record<string, string> = {}): Mistake["make"] {
  return async ({ hub }) => {
    const init = {
      method: "POST",
      headers: {
        authorization: `Bearer ${hub.adminToken()}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    };
    return await readError(await fetch(`${hub.url}/mcp`, init));
  };
}

export const callTool = (name: string, args: object) =>
  message({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

/** The sentence of an answer: a problem, a JSON-RPC error or the failure of a tool. */
export async function readError(response: Response): Promise<string> {
  const text = await response.text();
  const body = JSON.parse(text.replace(/^(?:event: .*\n)?data: /, ""));
  const tool = body.result?.content?.[0]?.text;
  if (typeof tool === "string") return JSON.parse(tool).error;
  return body.error?.message ?? body.error ?? text;
}
