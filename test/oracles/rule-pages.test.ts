/** The rules that ask before acting on the page of a row, in a real browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { type AppVisitor, checkLooks, checkPages, visit } from "./support/app-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

describeApp({ title: "The rules of a row" }, (app) => {
  let headers: Record<string, string>;
  let visitor: AppVisitor;
  let page: Page;

  beforeAll(async () => {
    headers = { authorization: `Bearer ${await app.hub.makeManageToken()}` };
    visitor = await app.open();
    page = visitor.page;
  });
  afterAll(() => visitor[Symbol.asyncDispose]());

  async function api(method: string, path: string, body?: unknown) {
    const response = await fetch(`${app.base}/manager/api${path}`, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return Object(await response.json());
  }

  async function addRow(): Promise<string> {
    const values = { base_url: "https://a.example" };
    const { id } = await api("POST", "/rows", { connector: "http", label: "Shop", values });
    return String(id);
  }

  const toPath = (row: string, tab: string) => `/manager/connectors/http/${row}?tab=${tab}`;
  const readRules = async (row: string) => (await api("GET", `/rows/${row}/rules`)).rules;
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

  /** Saves, and waits until the dialog has closed. */
  async function save(): Promise<void> {
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }

  test("An admin sets the rule of a row, sees that its questions cannot be decided, and removes it", async () => {
    const row = await addRow();
    await visit(visitor, toPath(row, "rules"));
    await page.waitForSelector("text=Off: calls of this row run without a question.");
    await press("Change for the row");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Ask about").selectOption("destructive");
    await dialog.getByLabel("Free calls in an hour").fill("3");
    await dialog.getByLabel("Who decides").selectOption("tags");
    const tags = dialog.getByRole("combobox", { name: "Deciding tags" });
    await tags.fill("leads");
    await tags.press("Enter");
    await dialog.getByLabel("May be permitted for an hour").check();
    await dialog.getByLabel("Params that stay as approved").fill("path, body");
    await dialog.getByLabel("Why").fill("Orders are real.");
    await save();
    await page.waitForSelector(
      "text=Asks users with the tag leads about destructive calls, after 3 free in an hour.",
    );
    await page.waitForSelector("text=No active user has the tag leads.");
    expect(await readRules(row)).toMatchObject([
      {
        operation: null,
        asks: "destructive",
        free_per_hour: 3,
        decide: { by: "tags", tags: ["leads"] },
        hour: { allowed: true, fixed: ["body", "path"], destructive: false },
        sentence: "Orders are real.",
      },
    ]);
    await press("Change for the row");
    await dialog.getByLabel("Ask about").selectOption("off");
    await save();
    await page.waitForSelector("text=Off: calls of this row run without a question.");
    expect(await readRules(row)).toEqual([]);
    expect(visitor.faults.splice(0)).toEqual([]);
  });

  nightlyTest("A rule that the hub refuses says why in the dialog, and is not saved", async () => {
    const row = await addRow();
    await visit(visitor, toPath(row, "rules"));
    await press("Change for the row");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Ask about").selectOption("destructive");
    await dialog.getByLabel("Where").selectOption("client");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.waitForSelector("text=a client's form is not enough for them");
    expect(await readRules(row)).toEqual([]);
    await press("Cancel");
    // The refusal of the request is in the console.
    expect(visitor.faults.splice(0).every((fault) => fault.includes("400"))).toBeTrue();
  });

  nightlyTest(
    "The rule of an operation is set among the operations, and listed beside that of the row",
    async () => {
      const row = await addRow();
      await visit(visitor, toPath(row, "operations"));
      await press("Ask before get");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Ask about").selectOption("never");
      await save();
      await visit(visitor, toPath(row, "rules"));
      await page.waitForSelector("text=Never asks.");
      await press("Change for get");
      await dialog.getByLabel("Ask about").selectOption("always");
      await save();
      await page.waitForSelector("text=Asks the caller about every call.");
      expect(await readRules(row)).toMatchObject([{ operation: "get", asks: "always" }]);
      expect(visitor.faults.splice(0)).toEqual([]);
    },
  );

  test("The tab and its dialog fit a phone and a wide screen", async () => {
    const row = await addRow();
    await checkPages(visitor, [toPath(row, "rules")]);
    await page.setViewportSize({ width: 360, height: 900 });
    await press("Change for the row");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Ask about").selectOption("always");
    await dialog.getByLabel("May be permitted for an hour").check();
    await checkLooks(visitor, [{ width: 360, colorScheme: "light", hasAxe: true }]);
    expect(visitor.faults.splice(0)).toEqual([]);
  });
});
