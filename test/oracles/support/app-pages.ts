import { expect } from "bun:test";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import type { UserLogin } from "../../support/oauth-fixture.ts";
import type { RunningHub } from "../../support/start-hub.ts";

const colorSchemes = ["light", "dark"] as const;
const hasAllLooks = process.env.HUB_TEST_ALL_LOOKS === "1";

/** Each width and each colour scheme. With `HUB_TEST_ALL_LOOKS=1`, each width in both schemes. */
export const looks = [360, 768, 1920].flatMap((width, index) =>
  colorSchemes
    .filter((_, scheme) => hasAllLooks || scheme === index % 2)
    .map((colorScheme) => ({ width, colorScheme })),
);

/** A width of the window, and a colour scheme. */
export type Look = (typeof looks)[number];

/** A window that notes everything that must not happen. It is closed when it is disposed. */
export type AppVisitor = AsyncDisposable & {
  page: Page;
  base: string;
  /** Console messages, reports of the content policy, and requests to other origins. */
  faults: string[];
};

/** Opens a page that notes faults. Call it before the first navigation. */
export async function watchPage(context: BrowserContext, base: string): Promise<AppVisitor> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()))
      faults.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${base}/`) && !url.startsWith("data:")) faults.push(`request to ${url}`);
  });
  return { page, base, faults, [Symbol.asyncDispose]: () => context.close() };
}

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
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
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

/** Runs axe on the page and expects no violation of WCAG 2.2 A and AA. */
export async function checkAccessibility({ page }: AppVisitor): Promise<void> {
  // By the protocol of the browser, which the content policy of the page does not limit.
  await page.evaluate(await Bun.file(axeFile).text());
  const found: Array<{ id: string; nodes: string[] }> = await page.evaluate(`
    axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
      .then(({ violations }) => violations.map(({ id, nodes }) => ({
        id, nodes: nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " " + failureSummary) })))`);
  expect({ url: page.url(), found }).toEqual({ url: page.url(), found: [] });
}

/** Expects of each path: one heading, nothing wider than the window, and no violation that axe finds. */
export async function checkPages(
  visitor: AppVisitor,
  { width }: Look,
  paths: readonly string[],
  checkMore: (path: string) => Promise<void> = async () => {},
): Promise<void> {
  const { page, base, faults } = visitor;
  for (const path of paths) {
    await page.goto(`${base}${path}`);
    await page.waitForSelector("h1");
    await page.waitForLoadState("networkidle");
    const headings = await page.locator("h1").count();
    const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect({ path, headings, wide }).toEqual({ path, headings: 1, wide: width });
    await checkMore(path);
    await checkAccessibility(visitor);
  }
  expect(faults).toEqual([]);
}
