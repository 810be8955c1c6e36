/**
 * Prints what each page costs beyond the files of the app, on a hub with many rows and calls:
 * `bun test/oracles/measure-page-costs.ts [ROWS] [CALLS] [PART…]`. With parts of paths, only the pages with one of them, and what was
 * asked and moved.
 */
import { findChromium } from "./support/chromium.ts";
import { listMeasuredPages } from "./support/measured-pages.ts";
import { openApp } from "./support/open-app.ts";
import { fillHub, measurePages, printCosts } from "./support/page-cost.ts";

const [rows = "5053", calls = "100000", ...paths] = process.argv.slice(2);
const executable = findChromium();
if (executable === null) process.exit(2);

await using app = await openApp(executable);
await fillHub(app, { rows: Number(rows), calls: Number(calls) });
const all = await listMeasuredPages(app, 1_000);
await using visitor = await app.open("/", { width: 1440 });
const wanted = all.filter((path) => paths.length === 0 || paths.some((one) => path.includes(one)));
const costs = await measurePages(visitor, wanted, (cost) => console.log(printCosts([cost])));
for (const { path, asked, moved, shift, slowShift } of costs) {
  if (Math.max(shift, slowShift) > 0.01 || asked.length > 8 || paths.length > 0)
    console.log({ path, asked, moved });
}
