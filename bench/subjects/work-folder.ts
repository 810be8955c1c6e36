import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../../packages/cli/src/wick/build/compile-program.ts";
import { dumpModule } from "../../packages/cli/src/wick/build/dump-module.ts";
import { isTarget } from "../../packages/cli/src/wick/build/targets.ts";
import type { PluginModule } from "../../packages/contract/src/plugin-manifest.ts";
import { hashFile } from "../../packages/server/src/plugins/verify/check-hash.ts";
import { findHostPlatform } from "../../packages/server/src/plugins/verify/check-platform.ts";
import type { Bench } from "../measure.ts";
import { createHubFolder, type HubFolder, tag } from "./hub-folder.ts";
import { runHub, startHub } from "./hub-program.ts";
import { type McpSession, openSession } from "./mcp-session.ts";
import type { RunningProgram } from "./running-program.ts";

const workPlugin = fileURLToPath(import.meta.resolve("./work-plugin.ts"));
const workHub = fileURLToPath(import.meta.resolve("./work-hub.ts"));

/** The keys of the work connector: compiled in, and two plugins with their own processes. */
export type WorkKey = "compiled_work" | "work" | "other_work";
const pluginKeys: readonly WorkKey[] = ["work", "other_work"];

/** Creates a data folder for a hub with a row of the work connector for each key. */
export async function createWorkFolder(bench: Bench): Promise<HubFolder> {
  const folder = await createHubFolder(bench);
  const sources = await bench.createFolder();
  const program = await buildProgram(sources);
  for (const key of pluginKeys) {
    const source = await writeSource(join(sources, key), program, key);
    await runWorkHub(folder.dataDir, ["plugin", "install", source]);
  }
  for (const key of ["compiled_work", ...pluginKeys]) {
    await runWorkHub(folder.dataDir, ["row", "add", key, "--label", key, "--tag", tag]);
  }
  return folder;
}

export function startWorkHub(bench: Bench, { dataDir }: HubFolder): Promise<RunningProgram> {
  return startHub(bench, dataDir, workHub);
}

async function runWorkHub(dataDir: string, args: readonly string[]): Promise<unknown> {
  return await runHub(dataDir, args, workHub);
}

/** Opens a session, and finds the ids of the work tools. */
export async function openWorkSession(hub: RunningProgram, { token }: HubFolder) {
  const session = await openSession({ url: hub.url, token });
  const tools = await findTools(session);
  return { ...session, toWork: createToWork(session, tools) };
}

function createToWork(session: McpSession, tools: ReadonlyMap<string, string>) {
  return (key: WorkKey, operation: string, params: Record<string, unknown>) => {
    const id = tools.get(`${key}/${operation}`);
    if (id === undefined) throw new Error(`hub_list has no ${operation} of ${key}.`);
    return session.toCall("hub_execute", { tool_id: id, params });
  };
}

/** The ids of the work tools by `key/operation`. */
async function findTools(session: McpSession): Promise<Map<string, string>> {
  // The cast is safe: an unexpected answer has no id, so the measure fails.
  const { tools } = (await session.call("hub_list", {})) as { tools: Record<string, string>[] };
  const pairs = tools.map(({ tool_id: id = "", label }) => [`${label}/${id.split("/")[1]}`, id]);
  return new Map(pairs as [string, string][]);
}

type BuiltProgram = { path: string; module: PluginModule };

/** Compiles a program as `wick plugin build` does. */
async function buildProgram(out: string): Promise<BuiltProgram> {
  const target = findHostPlatform();
  if (!isTarget(target)) throw new Error(`Plugins do not support ${target}.`);
  const folder = import.meta.dirname;
  const name = await compileProgram({
    folder,
    main: workPlugin,
    key: "program",
    target,
    out,
  });
  const path = join(out, name);
  return { path, module: await dumpModule({ command: path, args: [], env: {} }) };
}

/** Writes a plugin folder. The same program works under every key. */
async function writeSource(folder: string, program: BuiltProgram, key: string): Promise<string> {
  const { path, module } = program;
  await mkdir(folder);
  await Bun.write(join(folder, "program"), Bun.file(path));
  const manifest = {
    schema_version: 1,
    kind: "connector",
    version: "1.0.0",
    proto_version: 2,
    entry: "program",
    os_arch: [findHostPlatform()],
    sha256: await hashFile(path),
    signature: "",
    module: { ...module, Meta: { ...module.Meta, Key: key } },
  };
  await Bun.write(join(folder, "plugin.json"), JSON.stringify(manifest));
  return folder;
}
