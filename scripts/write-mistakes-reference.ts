/**
 * Writes docs/reference/mistakes.md from what a hub says of ordinary mistakes:
 * `npx bun scripts/write-mistakes-reference.ts`. A test checks that the page is up to date.
 */
import { join, resolve } from "node:path";
import { openMistakeBench } from "../test/support/mistake-bench.ts";
import { makeMistakes, toMistakesPage } from "../test/support/mistakes.ts";

const file = join(resolve(import.meta.dirname, ".."), "docs/reference/mistakes.md");

await using owned = new AsyncDisposableStack();
await Bun.write(file, toMistakesPage(await makeMistakes(await openMistakeBench(owned))));
console.log(`Wrote ${file}`);
