// Starts the hub of the tasks: bun bench/play/start.ts FOLDER [--corpus FILE]. Prints what `talk.ts` needs.
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readCorpus } from "../discovery/corpus-file.ts";
import { toConnectors } from "../discovery/engines/hub.ts";
import { createUserToken, tag } from "../subjects/hub-folder.ts";
import { runHub, toHubEnv } from "../subjects/hub-program.ts";
import { startProgram } from "../subjects/running-program.ts";
import { systemLabels } from "./world/system-parts.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { corpus: { type: "string" } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error("Usage: bun bench/play/start.ts FOLDER [--corpus FILE]");
const dataDir = resolve(folder);
const main = join(import.meta.dirname, "hub.ts");
const corpusPath = values.corpus === undefined ? "" : resolve(values.corpus);
const env = { HUB_PLAY_CORPUS: corpusPath };

await mkdir(dataDir, { recursive: true });
const token = await createUserToken(dataDir);
const others = await toConnectors(corpusPath === "" ? [] : await readCorpus(corpusPath));
const addresses: Record<string, string> = {};
// The answers to the needs of a corpus are chosen among its operations, so no other system may do what they ask.
if (corpusPath === "")
  for (const [key, label] of Object.entries(systemLabels)) await addRow(key, label, "");
for (const { definition, rows } of others) {
  for (const { label, description, keys } of rows) {
    const id = await addRow(definition.key, label, description);
    for (const [key, address] of keys) addresses[`conn:${id}/${key}`] = address;
  }
}
await writeFile(join(dataDir, "addresses.json"), JSON.stringify(addresses));

const hub = await startProgram([main, "serve"], {
  cwd: dataDir,
  env: { ...toHubEnv(dataDir), ...env },
});
await writeFile(join(dataDir, "hub.json"), JSON.stringify({ url: hub.url, token }));
console.log(`${hub.url}. Talk to it with: bun bench/play/talk.ts ${folder} describe`);
await new Promise(() => {});

async function addRow(key: string, label: string, description: string): Promise<string> {
  const named = ["--label", label, "--tag", tag];
  const described = description === "" ? [] : ["--description", description];
  const row = await runHub(dataDir, ["row", "add", key, ...named, ...described], main, env);
  if (typeof row === "object" && row !== null && "id" in row) return String(row.id);
  throw new Error(`There is no row of ${key}: ${JSON.stringify(row)}`);
}
