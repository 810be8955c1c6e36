import { resolve } from "node:path";
import { readDocuments } from "./corpus/read-document.ts";
import { services } from "./corpus/services.ts";
import { unpackDirectory } from "./corpus/unpack-directory.ts";

/** Writes the corpus of `services.ts`. It is not committed, because its texts are of other authors. */
const cacheFolder = resolve(import.meta.dirname, "../../node_modules/.cache/hub-discovery");
const path = process.argv[2] ?? resolve(cacheFolder, "corpus.jsonl");

const folder = await unpackDirectory(
  cacheFolder,
  services.flatMap(({ documents }) => documents),
);
const operations = [];
for (const service of services) {
  const documents = service.documents.map((name) => Bun.file(`${folder}/${name}.json`).json());
  operations.push(...readDocuments(service, await Promise.all(documents)));
}
await Bun.write(path, operations.map((operation) => `${JSON.stringify(operation)}\n`).join(""));
console.log(`${operations.length} operations of ${services.length} services: ${path}`);
