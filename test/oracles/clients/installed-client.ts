import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type NodeResult, spawnIn, spawnNode, waitForResult } from "../support/run-node.ts";
import type { ModelProtocol } from "./models/stub-model.ts";

const modules = resolve(import.meta.dirname, "node_modules");

/** A released client, which reads the file of its user and connects to the servers in it. */
export type InstalledClient = {
  /** Name of `hub mcp install --client`. */
  target: string;
  /** The client's file, and what its user has in it. */
  file: string;
  content: string;
  /** The servers that the client reads from its file, and whether it connected to them. */
  listServers(home: string): Promise<Array<{ name: string; isConnected: boolean }>>;
  /** The tools that it found, by server; null if it shows them to a model only. */
  listTools: ((home: string) => Promise<Record<string, string[]>>) | null;
  /** How it asks a model. */
  model: ModelProtocol;
  /** Asks the model at this address one question, and lets `hub_execute` of the server `hub` run without asking a person. */
  run(home: string, modelUrl: string): Promise<NodeResult>;
};

/** No client may reach its maker: only servers on this machine answer. */
const offline = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
};

/** Runs a client's program, and returns its output without colors. */
export async function runClient(
  ...[script, args, home, env]: Parameters<typeof spawnClient>
): Promise<NodeResult> {
  const result = await waitForResult(spawnClient(script, args, home, env));
  return { ...result, stdout: Bun.stripANSI(result.stdout), stderr: Bun.stripANSI(result.stderr) };
}

/** Starts a client's program: a script for Node, or an executable file. */
export function spawnClient(
  script: string,
  args: readonly string[],
  home: string,
  env: Record<string, string> = {},
) {
  const variables = { ...offline, ...env };
  if (/\.c?js$/.test(script)) return spawnNode(join(modules, script), args, home, variables);
  return spawnIn([join(modules, script), ...args], home, variables);
}

/** Reads lines until one is the wanted one. Returns null if the output ends before. */
export async function readUntil<Value>(
  output: ReadableStream<Uint8Array>,
  find: (line: string) => Value | null,
): Promise<Value | null> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of output) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const found = find(line);
      if (found !== null) return found;
    }
  }
  return null;
}

/** Name of the package with a client's program for this platform, of which npm installs one. */
export function findPlatformPackage(scope: string, name: RegExp): string {
  const folder = join(modules, scope);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.find((entry) => name.test(entry)) ?? "program";
}

/** Whether npm has installed the client's program, a path below its packages. */
export function isAvailable(path: string): boolean {
  const isFound = existsSync(join(modules, path));
  if (!isFound) {
    console.warn(`skipped: npm has no ${path} for ${process.platform} on ${process.arch}`);
  }
  return isFound;
}
