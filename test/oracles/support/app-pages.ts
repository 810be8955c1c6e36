import { expect } from "bun:test";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import type { RunningHub } from "../../support/start-hub.ts";

const password = "a long enough pass phrase";

const colorSchemes = ["light", "dark"] as const;
const hasAllLooks = process.env.HUB_TEST_ALL_LOOKS === "1";

/** Each width and each colour scheme. With `HUB_TEST_ALL_LOOKS=1`, each width in both schemes. */
export const looks = [360, 768, 1920].flatMap((width, index) =>
  colorSchemes
    .filter((_, scheme) => hasAllLooks || scheme === index % 2)
    .map((colorScheme) => ({ width, colorScheme })),
);

/** A signed-in browser that notes everything that must not happen. */
export type AppVisitor = {
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
  return { page, base, faults };
}

/** Signs in as the first admin, who sets a password. Ends at `path`. */
export async function signInFirstAdmin(
  visitor: AppVisitor,
  hub: RunningHub,
  path = "/",
): Promise<void> {
  const first = /one-time password:\s+(\S+)/.exec(hub.stdout())?.[1] ?? "";
  await signInOnce(visitor, { email: "admin@localhost", password: first }, path);
}

/** Signs in with a one-time password and sets another one. Ends at `path`. */
export async function signInOnce(
  { page, base }: AppVisitor,
  user: { email: string; password: string },
  path = "/",
): Promise<void> {
  await page.goto(`${base}${path}`);
  await page.fill("input[name=email]", user.email);
  await page.fill("input[name=password]", user.password);
  await page.click("button.wide");
  await page.waitForURL(/\/auth\/password/);
  await page.fill("input[name=new_password]", password);
  await page.fill("input[name=repeated]", password);
  await page.click("button.wide");
  await page.waitForURL(`${base}${path}`);
}

/** Signs in on the sign-in page with the password of `signInFirstAdmin`. */
export async function signInAgain({ page }: AppVisitor): Promise<void> {
  await page.fill("input[name=email]", "admin@localhost");
  await page.fill("input[name=password]", password);
  await page.click("button.wide");
}

export const adminPassword = password;

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
