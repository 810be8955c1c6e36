/**
 * The pages of calls, changes and settings in a real browser: filters, the chart, one call with its exact
 * numbers, and two admins who change one setting.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import {
  checkAccessibility,
  checkDarkPhone,
  checkPages,
  checkSchemes,
} from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");
const digits = "123456789012345678901234567890";

describeApp({ title: "The pages of calls", toHubOptions: async () => ({ main }) }, (app) => {
  let token: string;
  let row: string;
  let run: string;
  let ada: AppUser;
  /** Before the calls that single tests make. */
  let preparedAt: string;

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    const values = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R" };
    const given = { connector: "form", label: "Shared", values, tags: ["everyone"] };
    row = String((await api<{ id: string }>("POST /manager/api/rows", given)).id);
    run = await testEcho(`{"params":{"text":"exact","extra":{"id":${digits}}}}`);
    ada = await app.addUser("ada@example.com");
    const made = await app.hub.cli("token", "create", "--user", ada.email, "--name", "x", "--json");
    await callAs(made.json<{ token: string }>().token, { text: "by Ada" });
    await callAs(made.json<{ token: string }>().token, {});
    preparedAt = new Date().toISOString();
  });

  const api = <T = Record<string, unknown>>(route: string, body?: unknown) =>
    callApi<T>(app.base, token, route, body);

  /** Tests `echo` with a body that keeps its digits. Returns the id of the run. */
  async function testEcho(body: string): Promise<string> {
    const url = `${app.base}/manager/api/rows/${row}/operations/echo/test`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(url, { method: "POST", headers, body });
    return String(Object(await answer.json()).run_id);
  }

  const callAs = (secret: string, params: object) =>
    sendTool(secret, "hub_execute", { tool_id: `conn:${row}/echo`, params });

  async function sendTool(secret: string, name: string, args: object): Promise<void> {
    const called = { name, arguments: args };
    await fetch(`${app.base}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: called }),
    });
  }

  const countRuns = (page: Page, text: string) =>
    page.getByRole("status").getByText(text, { exact: true }).waitFor();
  const readSearch = (page: Page) => new URL(page.url()).searchParams;

  test("The page of an ordinary user's calls fits and is accessible in each look", async () => {
    await using visitor = await app.open("/", { as: ada });
    await checkPages(visitor, ["/manager/runs?error=text&connector=form"]);
  });

  nightlyTest(
    "Calls are filtered by connector and by a text in the error, and the chart follows",
    async () => {
      await using visitor = await app.open("/manager/runs");
      const { page, faults } = visitor;
      await countRuns(page, "3 calls");
      await page.getByLabel("Text in the error").fill("TEXT is");
      await page.waitForURL(/error=TEXT/);
      await countRuns(page, "1 call");
      await page.getByRole("slider", { name: "Calls over time" }).press("End");
      await page.getByText(/: 1 error$/).waitFor();
      await page.getByLabel("Connector", { exact: true }).selectOption("http");
      await page.getByText("No call matches the filters").waitFor();
      await page.getByLabel("Connector", { exact: true }).selectOption("form");
      await countRuns(page, "1 call");
      expect(readSearch(page).get("connector")).toBe("form");
      await page.getByRole("button", { name: "Clear filters" }).click();
      await countRuns(page, "3 calls");
      expect(await page.getByLabel("Text in the error").inputValue()).toBe("");
      expect(faults).toEqual([]);
    },
  );

  test("The chart of an ordinary user counts only their own calls; a span is dragged, and Back takes it back", async () => {
    await using visitor = await app.open("/manager/runs", { as: ada });
    const { page, faults } = visitor;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await countRuns(page, "2 calls");
    const chart = page.getByRole("slider", { name: "Calls over time" });
    await chart.press("End");
    await page.getByText(/: 1 error, 1 success$/).waitFor();
    const box = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(box.x + box.width * 0.75, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + 40, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL(/from=.*to=/);
    await countRuns(page, "2 calls");
    const span = readSearch(page);
    expect(Date.parse(span.get("to") ?? "")).toBeGreaterThan(Date.now());
    expect(Date.parse(span.get("from") ?? "")).toBeGreaterThan(Date.now() - 9 * 3_600_000);
    await page.goBack();
    await page.waitForURL(`${app.base}/manager/runs`);
    expect(asked.filter((path) => path.startsWith("/manager/api/runs"))).toEqual([]);
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "A page that ends before it is full says how far it looked, and goes on by a button",
    async () => {
      await using visitor = await app.open();
      const { page, faults } = visitor;
      const { runs } = await api<{ runs: unknown[] }>("GET /manager/api/runs");
      await page.route(/\/manager\/api\/runs\?/, async (route) => {
        const isFirst = !route.request().url().includes("before=");
        const next = "019a0000-0000-7000-8000-000000000000";
        await route.fulfill({ json: isFirst ? { runs: [], next } : { runs, next: null } });
      });
      await page.goto(`${app.base}/manager/runs?operation=rare`);
      await page.getByText(/^0 calls found back to Oct 20, 2025/).waitFor();
      await page.getByRole("button", { name: "Search older calls" }).click();
      await countRuns(page, "3 calls");
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "A run leads to the test panel with its request, and no page rounds its numbers",
    async () => {
      await using visitor = await app.open(`/manager/runs/${run}`, {
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const { page, faults } = visitor;
      const readClipboard = () => page.evaluate<string>("navigator.clipboard.readText()");
      const request = page.getByRole("group", { name: "Request", exact: true });
      await request.getByText(digits, { exact: true }).waitFor();
      await page.getByRole("button", { name: "Copy request" }).click();
      expect(await readClipboard()).toContain(`"id": ${digits}`);
      await page.getByRole("button", { name: "Copy as curl" }).click();
      await page.getByText("Put your token in the place").waitFor();
      expect(await readClipboard()).toContain(`"id":${digits}`);
      expect(await page.getByRole("link", { name: "Shared" }).getAttribute("href")).toContain(row);

      await page.getByRole("link", { name: "Edit and call" }).click();
      await page.waitForURL(new RegExp(`/manager/connectors/form/${row}\\?op=echo&prefill=${run}`));
      expect(await page.locator('[data-field="extra"] textarea').inputValue()).toContain(digits);
      await page.getByRole("button", { name: "Call", exact: true }).click();
      const result = page.getByRole("group", { name: "Result" });
      await result.getByText(digits, { exact: true }).waitFor();
      await page.getByRole("tab", { name: "As a client sees it" }).click();
      await page.getByText(`"id":${digits}`).waitFor();
      const { runs } = await api<{ runs: Array<Record<string, unknown>> }>("GET /manager/api/runs");
      expect(runs[0]).toMatchObject({ parent_run_id: run, source: "retry", status: "success" });
      expect(faults).toEqual([]);
    },
  );

  test("An ordinary user's run has no link to the test panel, and leads to its row", async () => {
    await using visitor = await app.open("/manager/runs", { as: ada });
    const { page, faults } = visitor;
    await page.getByRole("link", { name: "echo" }).first().click();
    await page.getByRole("link", { name: "Shared" }).waitFor();
    await page.getByRole("button", { name: "Retry" }).waitFor();
    expect(await page.getByRole("link", { name: "Edit and call" }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("What failed yesterday, why and for whom is three clicks away from the start page", async () => {
    const { runs } = await api<{ runs: Array<{ started_at: string }> }>(
      "GET /manager/api/runs?status=error",
    );
    await using visitor = await app.open("/", { hasClock: true });
    const { page, faults } = visitor;
    // A day after the failed call.
    await page.clock.setSystemTime(Date.parse(runs[0]?.started_at ?? "") + 86_400_000);
    await page.goto(`${app.base}/`);
    let clicks = 0;
    const click = async (target: Locator) => {
      clicks += 1;
      await target.click();
    };
    const menu = page.getByRole("navigation", { name: "Main" });
    await click(menu.getByRole("link", { name: "Calls" }));
    await click(page.getByRole("button", { name: "Yesterday" }));
    await page.waitForURL(/span=yesterday/);
    const group = page.getByRole("tabpanel").getByRole("listitem").filter({ hasText: "Text is" });
    await group.getByText("Shared · echo").waitFor();
    await group.getByText("ada@example.com").waitFor();
    await click(group.getByRole("button", { name: /Text is/i }));
    await page.waitForURL(/code=invalid_params/);
    await countRuns(page, "1 call");
    const line = page.getByRole("table", { name: "Calls" }).getByRole("row").nth(1);
    for (const text of ["Error", "Text is", "ada@example.com", "Shared"]) {
      await line.getByText(text).first().waitFor();
    }
    expect(clicks).toBe(3);
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "A call opens beside the list; keys go on, back and out, and the address shows it again",
    async () => {
      const filter = `to=${preparedAt}`;
      await using visitor = await app.open(`/manager/runs?${filter}`);
      const { page, faults } = visitor;
      const { runs } = await api<{ runs: Array<{ id: string }> }>(
        `GET /manager/api/runs?${filter}`,
      );
      const [first = "", second = ""] = runs.map(({ id }) => id);
      const panel = page.getByRole("complementary", { name: "Call" });
      const isFocused = (element: string) =>
        page.waitForFunction(`document.activeElement?.matches(${JSON.stringify(element)})`);
      await page.locator(`[data-run="${first}"]`).click();
      await isFocused("aside");
      await panel.getByRole("heading", { name: "Outcome" }).waitFor();
      await page.keyboard.press("j");
      await page.waitForURL(new RegExp(`open=${second}`));
      await page.keyboard.press("ArrowUp");
      await page.waitForURL(new RegExp(`open=${first}`));
      expect(await panel.getByRole("button", { name: /Previous call/ }).isDisabled()).toBe(true);
      await panel.getByRole("button", { name: /Next call/ }).click();
      await page.waitForURL(new RegExp(`open=${second}`));
      // What is under the header while the page is scrolled is no fault.
      await page.evaluate("window.scrollTo(0, 0)");
      await checkAccessibility(visitor);
      await page.keyboard.press("Escape");
      await panel.waitFor({ state: "detached" });
      await isFocused(`[data-run="${second}"]`);
      await page.keyboard.press("Enter");
      await panel.getByText("by Ada").first().waitFor();
      await page.keyboard.press("k");
      await panel.getByText("invalid_params").waitFor();
      await panel.getByText("The arguments do not fit the operation.").waitFor();
      await page.reload();
      await panel.getByText("invalid_params").waitFor();
      await checkDarkPhone(visitor);
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "A line has its exact time in every width, what tells the call, and the page asks little",
    async () => {
      await using visitor = await app.open("/", { width: 1024 });
      const { page, faults } = visitor;
      const asked: string[] = [];
      page.on("request", (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.includes("/api/")) asked.push(pathname);
      });
      await page.goto(`${app.base}/manager/runs?operation=echo&source=mcp&span=today&live=true`);
      await visitor.untilIdle();
      expect(asked.length).toBeLessThanOrEqual(8);
      const line = page.getByRole("table", { name: "Calls" }).getByRole("row").last();
      expect(await line.getByRole("link").textContent()).toBe("echo by Ada");
      for (const width of [1024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const time = line.locator("time");
        await page.waitForFunction("document.querySelector('[role=row] time') !== null");
        expect(await time.textContent()).toMatch(/^[A-Z][a-z]{2} \d\d, \d\d:\d\d:\d\d$/);
        expect(await time.isVisible()).toBe(true);
      }
      await page.keyboard.press("Tab");
      await line.locator("time").focus();
      const hint = page.getByRole("tooltip").getByText(/^(just now|\d+ minutes? ago) · /);
      await hint.waitFor();
      await checkAccessibility(visitor);
      await page.keyboard.press("Escape");
      await hint.waitFor({ state: "detached" });
      await line.locator("time").blur();
      await line.locator("time").hover();
      await hint.waitFor();
      // The pointer goes over to the hint, and may stay there.
      await hint.hover();
      await page.waitForTimeout(400);
      expect(await hint.isVisible()).toBe(true);
      await page.mouse.move(0, 0);
      await hint.waitFor({ state: "detached" });
      const download = await page.getByRole("link", { name: "Export" }).getAttribute("href");
      expect(download).toMatch(
        /^\/manager\/api\/runs\/export\?(?=.*operation=echo)(?=.*source=mcp)(?=.*from=)/,
      );
      await page.getByText("Relative", { exact: true }).click();
      await line.getByText("just now").or(line.getByText("minute")).waitFor();
      expect(faults).toEqual([]);
    },
  );

  nightlyTest("A hidden page asks for nothing, and goes on when it is seen", async () => {
    await using visitor = await app.open("/manager/runs?live=true", { hasClock: true });
    const { page } = visitor;
    await visitor.untilIdle();
    const show = (state: string) =>
      page.evaluate(`
        Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));`);
    let asked = 0;
    page.on("request", (request) => {
      if (request.url().includes("/manager/api/runs")) asked += 1;
    });
    await show("hidden");
    asked = 0;
    await page.clock.fastForward(60_000);
    await visitor.untilIdle();
    expect(asked).toBe(0);
    await show("visible");
    await page.clock.fastForward(4_000);
    await visitor.untilIdle();
    expect(asked).toBeGreaterThan(0);
  });

  nightlyTest(
    "Filters are saved under a name in this browser, and rows are searched on the server",
    async () => {
      await using visitor = await app.open("/manager/runs?status=error");
      const { page, faults } = visitor;
      await page.getByRole("button", { name: "Saved filters" }).click();
      await page.getByText("Kept in this browser").waitFor();
      await checkSchemes(visitor);
      await page.getByRole("button", { name: "Save these filters" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("Failed");
      await checkSchemes(visitor);
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.waitForURL(`${app.base}/manager/runs`);
      await page.getByRole("button", { name: "Saved filters" }).click();
      await page.getByRole("button", { name: "Failed", exact: true }).click();
      await page.waitForURL(/status=error/);
      await page.getByRole("combobox", { name: "Row" }).fill("shar");
      await page.getByRole("option", { name: "Shared" }).click();
      await page.waitForURL(new RegExp(`row=${row}`));
      expect(await page.getByRole("combobox", { name: "Row" }).inputValue()).toBe("Shared");
      await countRuns(page, "1 call");
      await page.getByRole("combobox", { name: "User" }).fill("ada");
      await page.getByRole("option", { name: "ada@example.com" }).click();
      await page.waitForURL(/user=/);
      await countRuns(page, "1 call");
      expect(faults).toEqual([]);
    },
  );

  nightlyTest("No table scrolls sideways beside the menu of a small window", async () => {
    const made = await app.hub.cli("token", "create", "--user", ada.email, "--name", "n", "--json");
    expect(made.exitCode).toBe(0);
    await using visitor = await app.open("/admin/tokens", { width: 1024 });
    const { page, faults } = visitor;
    for (const path of ["tokens", "changes", "users"]) {
      await page.goto(`${app.base}/admin/${path}`);
      const table = page.getByRole("table").first();
      await table.getByRole("cell").first().waitFor();
      await visitor.untilIdle();
      const [wide, shown] = await table.evaluate(({ scrollWidth, clientWidth }) => [
        scrollWidth,
        clientWidth,
      ]);
      expect({ path, wide }).toEqual({ path, wide: shown ?? 0 });
    }
    expect(faults).toEqual([]);
  });

  nightlyTest("The record of changes is filtered by time, in the address", async () => {
    await using visitor = await app.open("/admin/changes");
    const { page, faults } = visitor;
    await page.getByLabel("Time").selectOption("Last hour");
    await page.waitForURL(/from=/);
    await page.getByRole("table", { name: "Changes" }).waitFor();
    const at = new Date().toISOString();
    await page.goto(`${app.base}/admin/changes?from=${at}`);
    await page.getByText("No change matches the filters").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("table", { name: "Changes" }).waitFor();
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "An admin who saves over a newer value is told who changed it to what, and keeps what was typed",
    async () => {
      const name = "HUB_AUDIT_RETENTION_DAYS";
      const second = await app.addUser("second@example.com", { admin: true });
      await using visitor = await app.open(`/admin/settings?q=${name}`, { as: second });
      const { page } = visitor;
      await page.getByRole("button", { name: "Change Audit retention" }).click();
      const dialog = page.getByRole("dialog");
      const press = (button: string) =>
        dialog.getByRole("button", { name: button, exact: true }).click();
      await dialog.getByLabel("Value").fill("30");
      await api(`PUT /admin/api/settings/${name}`, { value: "21" });
      await press("Save");
      await dialog.getByText("Audit retention was changed to 21 by admin@localhost").waitFor();
      expect(await dialog.getByLabel("Value").inputValue()).toBe("30");
      await dialog.getByText("changed elsewhere to 21").waitFor();
      expect(await dialog.getByLabel("Value").inputValue()).toBe("30");
      await press("Keep what I typed");
      await press("Save");
      await page.getByRole("status").getByText("Audit retention is now 30 days.").waitFor();
    },
  );

  nightlyTest(
    "A message of many calls is one line, opens its calls in order, and each leads back to it",
    async () => {
      const token = ["token", "create", "--user", ada.email, "--name", "m", "--json"];
      const { token: secret } = (await app.hub.cli(...token)).json<{ token: string }>();
      const { rows } = await api<{ rows: Array<{ id: string; connector: string }> }>(
        "GET /manager/api/rows?connector=hub",
      );
      const good = { tool_id: `conn:${rows[0]?.id}/whoami`, params: {} };
      const bad = { tool_id: `conn:${row}/echo`, params: { text: "by a message" } };
      const calls = Array.from({ length: 100 }, (_, at) => (at % 25 === 0 ? bad : good));
      await sendTool(secret, "hub_read", { calls });
      await using visitor = await app.open("/manager/runs", { as: ada });
      const { page, faults } = visitor;
      const lines = page.getByRole("table", { name: "Calls" }).getByRole("link");
      await lines.filter({ hasText: "hub_read 100 calls" }).waitFor();
      await page.getByText("4 of 100 failed").waitFor();
      await page.getByText(/and 100 calls in messages and scripts/).waitFor();
      expect(await lines.filter({ hasText: "↳" }).count()).toBe(0);
      await lines.filter({ hasText: "hub_read 100 calls" }).click();
      const panel = page.getByRole("complementary", { name: "Call" });
      const inner = panel.getByRole("list", { name: "Calls in their order" });
      await page.waitForURL(/open=/);
      const message = new URL(page.url()).searchParams.get("open");
      await inner.getByText("by a message").first().waitFor();
      expect(await inner.getByRole("listitem").count()).toBe(100);
      await visitor.untilIdle();
      await checkSchemes(visitor);
      await panel.getByRole("switch", { name: "Only those that failed (4)" }).press("Space");
      expect(await inner.getByRole("listitem").count()).toBe(4);
      await inner.getByRole("link").first().click();
      await panel.getByRole("link", { name: "a message of several calls" }).waitFor();
      await panel.getByRole("link", { name: "a message of several calls" }).click();
      await panel.getByRole("link", { name: "In the list" }).click();
      await page.waitForURL(/cause_id=/);
      await countRuns(page, "100 calls shown. More follow below.");
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.getByRole("switch", { name: "Each call of messages" }).press("Space");
      await lines.filter({ hasText: "↳" }).first().waitFor();
      // A filter of single calls finds those of messages.
      await page.getByLabel("Status", { exact: true }).selectOption("denied");
      await lines.filter({ hasText: "↳ echo by a message" }).first().waitFor();

      // Its last call has a record just before it ends.
      let [mayEnd, hasEnded] = [false, false];
      await page.route(`**/manager/api/runs/${message}`, async (route) => {
        const run = await (await route.fetch()).json();
        await route.fulfill({ json: mayEnd ? run : { ...run, status: "running" } });
        hasEnded = mayEnd;
      });
      await page.route(/\/runs\?.*cause_id=/, async (route) => {
        const answer = await (await route.fetch()).json();
        const runs = hasEnded ? answer.runs : answer.runs.slice(1);
        await route.fulfill({ json: { ...answer, runs } });
      });
      await page.goto(`${app.base}/manager/runs/${message}`);
      const made = page.getByRole("list", { name: "Calls in their order" }).getByRole("listitem");
      await made.nth(98).waitFor();
      expect(await made.count()).toBe(99);
      mayEnd = true;
      await made.nth(99).waitFor();
      expect(faults).toEqual([]);
    },
  );
});
