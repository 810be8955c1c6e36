import { resolve } from "node:path";
import { cacheFolder } from "./corpus/download.ts";
import { listNames } from "./corpus/list-names.ts";
import { readBfcl } from "./corpus/read-bfcl.ts";
import { readDocuments } from "./corpus/read-document.ts";
import { readGithub } from "./corpus/read-github.ts";
import { services } from "./corpus/services.ts";
import { listSmallHubs } from "./corpus/small-hubs.ts";
import { unpackDirectory } from "./corpus/unpack-directory.ts";
import type { Operation } from "./corpus-file.ts";

/**
 * Writes the corpora, and those queries that are of other authors, to the folder of the cache or the given one. They
 * are not committed for that reason.
 */
const folder = process.argv[2] ?? cacheFolder;

const mixed = await readServices();
await write("corpus.jsonl", mixed);
await write("corpus-names.jsonl", listNames(mixed));
const github = await readGithub();
await write("github.jsonl", github);
await write("github-names.jsonl", listNames(github));
await write("small-hubs.jsonl", listSmallHubs(github));
const bfcl = await readBfcl();
await write("bfcl.jsonl", bfcl.operations);
await write("bfcl-queries.jsonl", bfcl.queries);

async function readServices(): Promise<Operation[]> {
  const unpacked = await unpackDirectory(services.flatMap(({ documents }) => documents));
  const operations = [];
  for (const service of services) {
    const documents = service.documents.map((name) => Bun.file(`${unpacked}/${name}.json`).json());
    operations.push(...readDocuments(service, await Promise.all(documents)));
  }
  return operations;
}

async function write(name: string, lines: readonly object[]): Promise<void> {
  const path = resolve(folder, name);
  await Bun.write(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  console.log(`${lines.length} lines: ${path}`);
}
