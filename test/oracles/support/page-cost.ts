import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import type { AppVisitor } from "./app-pages.ts";
import type { App } from "./open-app.ts";

/** What one visit of a page costs beyond the files of the app. */
export type PageCost = {
  path: string;
  requests: number;
  /** Of all answers, as they are sent. */
  bytes: number;
  /** The cumulative layout shift, without what follows an input. */
  shift: number;
  /** The same if each answer of the API, and the font, comes 300 ms later. */
  slowShift: number;
  /** The names of the filled buttons that are seen. One leads; a second one would hide it. */
  filled: string[];
  /** The number of headings of the first level. */
  titles: number;
  /** The addresses that were asked. */
  asked: string[];
  /** What moved, of the largest shift of both visits. */
  moved: string[];
};

/** At most this, on any page, whatever the size of the hub. */
export const costMax = { requests: 8, bytes: 200 * 1024, shift: 0.05, filled: 1 } as const;

const fillScript = join(import.meta.dirname, "../../../scripts/fill-runs.ts");

/** Fills the hub with rows of HTTP and recorded calls, spread over the last days. */
export async function fillHub(
  { hub }: Pick<App, "hub">,
  { rows, calls }: { rows: number; calls: number },
): Promise<void> {
  const args = ["--runs", String(calls), "--rows", String(rows), "--days", "5"];
  const filling = Bun.spawn(["bun", fillScript, ...args], {
    env: { ...process.env, HUB_DATA_DIR: hub.dataDir, HUB_DATABASE_URL: "" },
    stdout: "ignore",
    stderr: "pipe",
  });
  const [code, problem] = await Promise.all([filling.exited, new Response(filling.stderr).text()]);
  if (code !== 0) throw new Error(`The hub was not filled: ${problem}`);
}

/** Visits pages and measures each. The window may have visited others before. `onCost` gets each as soon as it is known. */
export async function measurePages(
  visitor: AppVisitor,
  paths: readonly string[],
  onCost: (cost: PageCost) => void = () => {},
): Promise<PageCost[]> {
  await visitor.page.addInitScript(observeShifts);
  const costs: PageCost[] = [];
  for (const path of paths) {
    const cost = await measurePage(visitor, path);
    const slow = await measureSlowShift(visitor, path);
    const moved = slow.shift > cost.shift ? slow.moved : cost.moved;
    const whole = { ...cost, slowShift: slow.shift, moved };
    costs.push(whole);
    onCost(whole);
  }
  return costs;
}

/** The shift of each page if all answers come after the pages have said that they wait. */
export async function measureLateShifts(
  visitor: AppVisitor,
  paths: readonly string[],
): Promise<Array<{ path: string; shift: number; moved: string[] }>> {
  await visitor.page.addInitScript(observeShifts);
  const shifts = [];
  for (const path of paths)
    shifts.push({ path, ...(await measureSlowShift(visitor, path, lateMs)) });
  return shifts;
}

const slowMs = 300;
/** More than the three seconds after which a page says that it waits. */
const lateMs = 3_400;

async function measureSlowShift(
  { page, base, untilIdle }: AppVisitor,
  path: string,
  delayMs = slowMs,
) {
  const late = /\/api\/|\/assets\/inter\./;
  await page.goto("about:blank");
  const delayed = new Set<Promise<void>>();
  await page.route(late, (route) => {
    const passed = Bun.sleep(delayMs).then(() => route.fallback());
    delayed.add(passed);
    return passed;
  });
  await page.goto(`${base}${path}`);
  await page.waitForSelector("h1");
  await untilIdle();
  const shifts = await readShifts(page);
  // Only this route: the caller may have its own.
  await page.unroute(late);
  // A page that asks again at an interval may have a request that is still delayed.
  await Promise.allSettled(delayed);
  return shifts;
}

async function measurePage(
  { page, base, untilIdle }: AppVisitor,
  path: string,
): Promise<Omit<PageCost, "slowShift">> {
  const requests: Request[] = [];
  const note = (request: Request) => {
    if (!request.isNavigationRequest() && !request.url().includes("/assets/"))
      requests.push(request);
  };
  await page.goto("about:blank");
  page.on("request", note);
  await page.goto(`${base}${path}`);
  await page.waitForSelector("h1");
  await untilIdle();
  page.off("request", note);
  const sizes = await Promise.all(requests.map(readSize));
  const { shift, moved } = await readShifts(page);
  return {
    path,
    requests: requests.length,
    bytes: sizes.reduce((total, bytes) => total + bytes, 0),
    shift,
    filled: await listFilledButtons(page),
    titles: await page.locator("h1").count(),
    asked: requests.map((request) => request.url().slice(base.length)),
    moved,
  };
}

async function readSize(request: Request): Promise<number> {
  const response = await request.response();
  if (response === null) return 0;
  return (await response.body().catch(() => new Uint8Array())).length;
}

/** Runs in the page before its own scripts, for `readShifts`. */
export const observeShifts = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shifts.push({ value, moved: sources.map(({ node, previousRect, currentRect }) =>
        (node?.nodeType === 1 ? node.tagName + "." + node.className : String(node?.textContent)).slice(0, 80) +
        " y " + previousRect.y + "→" + currentRect.y + " h " + previousRect.height + "→" + currentRect.height) });
    }
  }).observe({ type: "layout-shift", buffered: true });`;

/** The cumulative shift so far, and what moved in the largest one. */
export async function readShifts(page: Page): Promise<{ shift: number; moved: string[] }> {
  // Entries are delivered after the frame that they are of.
  await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
  const shifts = await page.evaluate<Array<{ value: number; moved: string[] }>>("window.shifts");
  const largest = shifts.toSorted((one, other) => other.value - one.value)[0];
  const shift = shifts.reduce((total, { value }) => total + value, 0);
  return { shift: Math.round(shift * 1000) / 1000, moved: largest?.moved ?? [] };
}

/** The texts of the filled buttons that are seen. Those of the page are not counted behind a dialog. */
export function listFilledButtons(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const dialog = [...document.querySelectorAll("[role=dialog]")].findLast((each) => each.checkVisibility());
    const filled = "button[data-variant=filled], a[data-variant=filled]";
    return [...(dialog ?? document).querySelectorAll(filled)]
      .filter((each) => each.checkVisibility())
      .map((each) => each.innerText.trim() || each.getAttribute("aria-label"));
  })()`);
}

/** The costs as a table, for people. */
export function printCosts(costs: readonly PageCost[]): string {
  const lines = costs.map(({ path, requests, bytes, shift, slowShift, filled }) => {
    const isOver =
      requests > costMax.requests ||
      bytes > costMax.bytes ||
      Math.max(shift, slowShift) > costMax.shift ||
      filled.length > costMax.filled;
    const kib = `${(bytes / 1024).toFixed(1)} KiB`;
    return `${isOver ? "!" : " "} ${path.slice(0, 60).padEnd(60)} ${String(requests).padStart(3)} requests ${kib.padStart(12)} shift ${shift.toFixed(3)} slow ${slowShift.toFixed(3)} ${filled.join(", ")}`;
  });
  return lines.join("\n");
}
