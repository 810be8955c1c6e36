import { expect } from "bun:test";
import { join } from "node:path";
import type { BrowserContext, Page, Request, Route } from "playwright-core";
import { isWholeAmount } from "../../../packages/server/src/lib/testing/amount.ts";
import type { UserLogin } from "../../support/oauth-fixture.ts";
import type { RunningHub } from "../../support/start-hub.ts";
import { waitFor } from "../../support/wait-for.ts";
import { waitMsMax } from "./chromium.ts";

const colorSchemes = ["light", "dark"] as const;
const hasAllLooks = isWholeAmount;

type Look = { width: number; colorScheme: (typeof colorSchemes)[number]; hasAxe: boolean };

/**
 * The narrowest and the widest layout, each in one scheme. In `.ci/nightly` three widths in both schemes.
 */
const looks: readonly Look[] = hasAllLooks
  ? [360, 768, 1920].flatMap((width) =>
      colorSchemes.map((colorScheme) => ({ width, colorScheme, hasAxe: true })),
    )
  : [
      { width: 360, colorScheme: "light", hasAxe: true },
      { width: 1920, colorScheme: "dark", hasAxe: true },
    ];

/** A window that records everything that must not happen. It is closed when it is disposed. */
export type AppVisitor = AsyncDisposable & {
  page: Page;
  base: string;
  /** Console messages, reports of the content policy, and requests to other origins. */
  faults: string[];
  /** Waits until the page has all that it asks for, and shows it. */
  untilIdle(): Promise<void>;
};

/** Opens a page that records faults. Call it before the first navigation. */
export async function watchPage(context: BrowserContext, base: string): Promise<AppVisitor> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()))
      faults.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
  // Of the context, because tests remove their own listeners from the page.
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${base}/`) && !url.startsWith("data:")) faults.push(`request to ${url}`);
  });
  const untilIdle = watchRequests(context, page);
  return { page, base, faults, untilIdle, [Symbol.asyncDispose]: () => context.close() };
}

/** Waits for the end of all requests, without the half second of silence that `networkidle` adds. */
function watchRequests(context: BrowserContext, page: Page): () => Promise<void> {
  const pending = new Set<Request>();
  let isLeaving = false;
  context.on("request", (request) => {
    // The events of a run end with the run, which may wait for a person.
    if (!new URL(request.url()).pathname.endsWith("/events")) pending.add(request);
    isLeaving ||= request.isNavigationRequest();
  });
  context.on("requestfinished", (request) => void pending.delete(request));
  context.on("requestfailed", (request) => void pending.delete(request));
  page.on("framenavigated", () => {
    // The browser does not report the end of requests of a page that is left.
    if (isLeaving) pending.clear();
    isLeaving = false;
  });
  return async () => {
    const deadline = Date.now() + waitMsMax;
    // What has arrived may make the page ask for more.
    for (let isQuiet = false; !isQuiet; ) {
      await waitFor(() => pending.size === 0 || Date.now() > deadline);
      await waitFor(() => page.evaluate<boolean>(isPainted));
      if (Date.now() > deadline)
        throw new Error(`No answer to ${[...pending].map((request) => request.url())}`);
      isQuiet = pending.size === 0;
    }
  };
}

/**
 * Answers requests of a page that is already loaded, as `page.route` does, and resolves when the browser
 * really does so. It announces this before the page knows, so that the next request may still pass.
 */
export async function interceptRequests(
  page: Page,
  url: string | RegExp,
  answer: (route: Route) => unknown,
  options?: { times?: number },
): Promise<void> {
  await page.route(url, answer, options);
  await page.route(probe, (route) => route.fulfill({ status: 204 }));
  await waitUntilIntercepted(page);
  await page.unroute(probe);
}

/** The hub answers it by 200, so a probe that passes is no fault of the page. */
const probe = "**/health";

/** Waits until GET /health of the page is intercepted. The interceptor answers it by 204. */
export async function waitUntilIntercepted(page: Page): Promise<void> {
  await waitFor(() =>
    page.evaluate<boolean>('fetch("/health").then(({ status }) => status === 204)'),
  );
}

/** What the page gets from now on, with its text. It lacks what the page left before it had arrived. */
export function collectAnswers(page: Page): () => Promise<Array<{ url: string; text: string }>> {
  const answers: Array<Promise<{ url: string; text: string }>> = [];
  // A `response` may come without its end, if the page is left. Its text would never come.
  page.on("requestfinished", (request) => {
    const url = request.url();
    if (url.includes("/assets/")) return;
    const text = request.response().then(async (response) => (await response?.text()) ?? "");
    // A redirect has no body.
    answers.push(text.catch(() => "").then((text) => ({ url, text })));
  });
  return () => Promise.all(answers);
}

const missing = "Page not found";

/**
 * Goes to another page of the app without loading the app again, which takes six times as much CPU. It
 * passes through an address that has no page, so that no state of the page before is left. What the app
 * has read in the last seconds is not read again, so load a page that shows what a test has changed.
 */
export async function visit({ page }: Pick<AppVisitor, "page">, path: string): Promise<void> {
  await page.evaluate('history.pushState(null, "", "/nothing-here")');
  await page.locator("h1", { hasText: missing }).waitFor();
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`);
  await page.locator("h1", { hasNotText: missing }).first().waitFor();
}

/** Resolves when the page has painted. Is false while something moves, except what moves forever. */
const isPainted = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(document.getAnimations().every(
    ({ playState, effect }) =>
      playState !== "running" || effect.getComputedTiming().endTime === Infinity)))))`;

/** Signs in on the sign-in page, and sets a new password there. Ends at `path`. */
export async function signInByForm(
  { page, base }: AppVisitor,
  once: UserLogin,
  { path = "/", newPassword = "a long enough pass phrase" } = {},
): Promise<void> {
  await page.goto(`${base}${path}`);
  await page.fill("input[name=email]", once.email);
  await page.fill("input[name=password]", once.password);
  await page.click("button.wide");
  await page.waitForURL(/\/auth\/password/);
  await page.fill("input[name=new_password]", newPassword);
  await page.fill("input[name=repeated]", newPassword);
  await page.click("button.wide");
  await page.waitForURL(`${base}${path}`);
}

/** Calls tools with a token, with success and without. Returns the ids of the runs, newest first. */
export async function makeRuns(
  hub: RunningHub,
  base: string,
  callToken = hub.adminToken(),
): Promise<string[]> {
  const call = (name: string, args: object) =>
    fetch(`${base}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${callToken}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      }),
    });
  await call("hub_list", {});
  await call("hub_search", { query: "run" });
  await call("hub_get", { tool_id: "conn:unknown/none" });
  await call("hub_info", {});
  const token = await hub.makeManageToken();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${base}/manager/api/runs`, { headers });
  const { runs }: { runs: Array<{ id: string }> } = Object(await answer.json());
  return runs.map(({ id }) => id);
}

const axeFile = join(import.meta.dirname, "../node_modules/axe-core/axe.min.js");

/** Expects that axe finds no violation of WCAG 2.2 A and AA. */
export async function checkAccessibility({ page, untilIdle }: AppVisitor): Promise<void> {
  await untilIdle();
  await addAxe(page);
  const found = await findViolations(page);
  expect({ url: page.url(), found }).toEqual({ url: page.url(), found: [] });
}

/**
 * Expects the same of what is open, such as a dialog, in dark colours, and in `.ci/nightly` in light ones too, which remain. Axe
 * takes most of the time.
 */
export async function checkSchemes(visitor: AppVisitor): Promise<void> {
  for (const colorScheme of ["dark", "light"] as const) {
    await visitor.page.emulateMedia({ colorScheme });
    await visitor.page.waitForSelector(`html[data-mantine-color-scheme=${colorScheme}]`);
    if (colorScheme === "dark" || isWholeAmount) await checkAccessibility(visitor);
  }
}

/** Expects that axe finds nothing on a server-rendered page, in light and in dark colours. */
export async function checkServerPage(page: Page): Promise<void> {
  await addAxe(page);
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme });
    const found = await findViolations(page);
    const looked = { url: page.url(), colorScheme };
    expect({ ...looked, found }).toEqual({ ...looked, found: [] });
  }
}

/** Expects the same on a phone with dark colours, and that nothing is wider than the window. */
export async function checkDarkPhone(visitor: AppVisitor): Promise<void> {
  const { page } = visitor;
  const before = page.viewportSize();
  await takeLook(page, { width: 360, colorScheme: "dark", hasAxe: true });
  await page.waitForSelector("html[data-mantine-color-scheme=dark]");
  await checkAccessibility(visitor);
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(360);
  await page.emulateMedia({ colorScheme: "light" });
  if (before !== null) await page.setViewportSize(before);
}

/** Adds axe by the protocol of the browser, which the content policy of the page does not limit. */
async function addAxe(page: Page): Promise<void> {
  const isLoaded = await page.evaluate<boolean>('typeof axe !== "undefined"');
  if (!isLoaded) await page.evaluate(await Bun.file(axeFile).text());
}

/** What axe finds on the open page, by rule. */
export async function listViolations(page: Page): Promise<Array<{ id: string; nodes: string[] }>> {
  await addAxe(page);
  return await findViolations(page);
}

/** Runs axe, which the page has loaded. */
function findViolations(page: Page): Promise<Array<{ id: string; nodes: string[] }>> {
  return page.evaluate(`
    axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      resultTypes: ["violations"],
      // Only rules about audio and video need it.
      preload: false,
    }).then(({ violations }) => violations.map(({ id, nodes }) => ({
      id, nodes: nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " " + failureSummary) })))`);
}

/** Expects of the open page, in each look: one heading, nothing wider than the window; and accessible. */
export async function checkLooks(
  visitor: AppVisitor,
  order: readonly Look[] = looks,
): Promise<void> {
  const { page } = visitor;
  await addAxe(page);
  expect(order).not.toEqual([]);
  for (const look of order) {
    await takeLook(page, look);
    // The script follows the system a moment after the style sheet.
    await page.waitForSelector(`html[data-mantine-color-scheme=${look.colorScheme}]`);
    await visitor.untilIdle();
    const path = page.url().slice(visitor.base.length);
    const headings = await page.locator("h1").count();
    const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
    const found = look.hasAxe ? await findViolations(page) : [];
    const expected = { path, ...look, headings: 1, wide: look.width, found: [] };
    expect({ path, ...look, headings, wide, found }).toEqual(expected);
  }
}

/** Axe takes most of the time, so it looks at each page once: narrow and light, or wide and dark. */
const axeWidths = [360, 1920];

/**
 * Checks the looks of each path in the same window, of which the first is loaded. With
 * `HUB_TEST_AMOUNT=all` each is loaded in all looks, and axe looks at each.
 */
export async function checkPages(
  visitor: AppVisitor,
  paths: readonly string[],
  checkMore: (path: string) => Promise<void> = async () => {},
): Promise<void> {
  const { page, base, faults } = visitor;
  let isLoaded = false;
  for (const [index, path] of paths.entries()) {
    const at = index % looks.length;
    const order = [...looks.slice(at), ...looks.slice(0, at)].map((look) => ({
      ...look,
      hasAxe: hasAllLooks || look.width === axeWidths[index % axeWidths.length],
    }));
    for (const some of hasAllLooks ? order.map((look) => [look]) : [order]) {
      await takeLook(page, some[0]);
      if (isLoaded && !hasAllLooks) await visit(visitor, path);
      else await page.goto(`${base}${path}`);
      isLoaded = true;
      await page.waitForSelector("h1");
      await checkLooks(visitor, some);
      await checkMore(path);
    }
  }
  expect(faults).toEqual([]);
}

async function takeLook(page: Page, look: Look | undefined): Promise<void> {
  if (look === undefined) return;
  await page.setViewportSize({ width: look.width, height: 900 });
  await page.emulateMedia({ colorScheme: look.colorScheme });
}
