/**
 * Calls the operations of an OpenAPI document in JSON, and has an independent proxy check each request by the same
 * document: `bun test/oracles/try-document.ts FILE [OPERATIONS]`. Install the checkers first (`bash test/oracles/install`).
 * Prints the numbers and each violation, with the reason if the proxy is wrong, and fails if there is another one.
 */
import { driveDocument } from "./support/drive-document.ts";
import { findProxyFault } from "./support/proxy-faults.ts";

const [file, most] = process.argv.slice(2);
if (file === undefined) {
  console.error("Usage: bun test/oracles/try-document.ts FILE [OPERATIONS]");
  process.exit(2);
}
const operationsMax = most === undefined ? Number.POSITIVE_INFINITY : Number(most);
const { found, calls, faults } = await driveDocument(await Bun.file(file).text(), {
  operationsMax,
});
for (const fault of faults) {
  const reason = findProxyFault(fault);
  console.log(reason === null ? fault : `${fault} (The proxy is wrong: ${reason})`);
}
const own = faults.filter((fault) => findProxyFault(fault) === null);
console.log(
  `${found} operations, ${calls} called, ${faults.length} violations, ${faults.length - own.length} of them by the proxy alone`,
);
process.exit(own.length === 0 ? 0 : 1);
