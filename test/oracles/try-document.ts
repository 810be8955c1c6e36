/**
 * Calls the operations of an OpenAPI document in JSON, and has an independent proxy check each request by the same
 * document: `bun test/oracles/try-document.ts FILE [OPERATIONS]`. Install the checkers first (`bash test/oracles/install`).
 * Prints the numbers and each violation, and fails if there is one.
 */
import { driveDocument } from "./support/drive-document.ts";

const [file, most] = process.argv.slice(2);
if (file === undefined) {
  console.error("Usage: bun test/oracles/try-document.ts FILE [OPERATIONS]");
  process.exit(2);
}
const operationsMax = most === undefined ? Number.POSITIVE_INFINITY : Number(most);
const { found, calls, faults } = await driveDocument(await Bun.file(file).text(), {
  operationsMax,
});
for (const fault of faults) console.log(fault);
console.log(`${found} operations, ${calls} called, ${faults.length} violations`);
process.exit(faults.length === 0 ? 0 : 1);
