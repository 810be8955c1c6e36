/**
 * What each page costs beyond the files of the app, on a hub with many rows and calls: few requests, few bytes,
 * and nothing jumps while it loads. With `HUB_TEST_LARGE_HUB=1`, as `.ci/nightly` does, the hub has 5,053 rows and
 * 100,000 calls, and 1,000 calls wait for the admin. `bun test/oracles/measure-page-costs.ts` prints the costs.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { listMeasuredPages } from "./support/measured-pages.ts";
import { describeApp } from "./support/open-app.ts";
import {
  costMax,
  fillHub,
  measureLateShifts,
  measurePages,
  type PageCost,
  printCosts,
} from "./support/page-cost.ts";

const isLarge = process.env.HUB_TEST_LARGE_HUB === "1";
setDefaultTimeout(isLarge ? 1_800_000 : 300_000);

const size = isLarge ? { rows: 5_053, calls: 100_000 } : { rows: 300, calls: 3_000 };

describeApp({ title: "What a page costs" }, (app) => {
  let costs: PageCost[];
  let paths: string[];

  beforeAll(async () => {
    await fillHub(app, size);
    paths = await listMeasuredPages(app, isLarge ? 1_000 : 100);
    await using visitor = await app.open("/", { width: 1440 });
    costs = await measurePages(visitor, paths);
    if (isLarge) console.log(printCosts(costs));
  });

  const over = (isOver: (cost: PageCost) => boolean) =>
    costs
      .filter(isOver)
      .map(({ path, requests, bytes, shift, slowShift, filled, asked, moved }) => ({
        path,
        requests,
        bytes,
        shift,
        slowShift,
        filled,
        asked,
        moved,
      }));

  test("No page asks more often than eight times", () => {
    expect(costs.length).toBeGreaterThan(20);
    expect(over(({ requests }) => requests > costMax.requests)).toEqual([]);
  });

  test("Every page reads something, and none more than 200 KiB", () => {
    expect(over(({ bytes }) => bytes === 0)).toEqual([]);
    expect(over(({ bytes }) => bytes > costMax.bytes)).toEqual([]);
  });

  test("A page that is left open stops asking, and asks at once when someone moves", async () => {
    await using visitor = await app.open("/admin/settings", { hasClock: true });
    const { page, untilIdle } = visitor;
    let asked = 0;
    page.on("request", () => {
      asked += 1;
    });
    const countDuring = async (ms: number) => {
      asked = 0;
      await page.clock.runFor(ms);
      await untilIdle();
      return asked;
    };
    expect(await countDuring(20_000)).toBeGreaterThan(0);
    await page.clock.runFor(15 * 60_000);
    expect(await countDuring(60_000)).toBe(0);
    await page.mouse.move(300, 300);
    await page.mouse.move(310, 310);
    await untilIdle();
    // Counted since the minute without requests began.
    expect(asked).toBeGreaterThan(0);
    expect(await countDuring(20_000)).toBeGreaterThan(0);
  });

  test("Nothing jumps on any page while it loads", () => {
    expect(over(({ shift }) => shift > costMax.shift)).toEqual([]);
  });

  test("Nothing jumps if the answers and the font come late", () => {
    expect(over(({ slowShift }) => slowShift > costMax.shift)).toEqual([]);
  });

  test("Nothing jumps if the answers come after the page has said that it waits", async () => {
    await using visitor = await app.open("/admin/health", { width: 1440 });
    const slowest = paths.filter((path) => path === "/" || path.endsWith("?open=publish"));
    expect(slowest).toHaveLength(2);
    const shifts = await measureLateShifts(visitor, slowest);
    expect(shifts.filter(({ shift }) => shift > costMax.shift)).toEqual([]);
  });

  test("Each page has one title, and at most one filled button", () => {
    expect(costs.some(({ filled }) => filled.length === 1)).toBe(true);
    expect(over(({ titles }) => titles !== 1)).toEqual([]);
    expect(over(({ filled }) => filled.length > costMax.filled)).toEqual([]);
  });
});
