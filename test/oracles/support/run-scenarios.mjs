/**
 * Runs the suite's program on Node once per list of arguments, in one process: its packages are loaded once.
 * Usage: run-scenarios.mjs PROGRAM LISTS; the lists are JSON. The program ends each run by `process.exit`.
 */
import process from "node:process";
import { pathToFileURL } from "node:url";

const [script, lists] = process.argv.slice(2);
const exit = process.exit;
let end = () => {};
process.exit = () => end();

for (const [index, args] of JSON.parse(lists).entries()) {
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  process.argv = [process.argv[0], script, ...args];
  // Another address is another instance of the program.
  await import(`${pathToFileURL(script)}?${index}`);
  await ended;
}
exit(0);
