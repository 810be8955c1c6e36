/** Results that are large or built to hurt, in the test panel of a real browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { someOf } from "../../packages/server/src/lib/testing/amount.ts";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import type { AppVisitor } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");
const mebibyte = 2 ** 20;

const grow = (levels: number): unknown =>
  levels === 0 ? 1 : Array.from({ length: 20 }, () => grow(levels - 1));
const keys = Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, at]);

describeApp({ title: "A result", toHubOptions: async () => ({ main }) }, (app) => {
  let row: string;
  let visitor: AppVisitor;
  let page: Page;

  beforeAll(async () => {
    const token = await app.hub.makeManageToken();
    const values = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R" };
    const added = { connector: "form", label: "Form", values };
    ({ id: row } = await callApi<{ id: string }>(app.base, token, "POST /manager/api/rows", added));
    visitor = await app.open();
    page = visitor.page;
  });
  afterAll(() => visitor[Symbol.asyncDispose]());

  const result = () => page.getByRole("group", { name: "Result" });
  const countElements = () => page.evaluate<number>("document.querySelectorAll('*').length");

  /** Shows an answer as if an operation had returned it. */
  async function show(json: string): Promise<void> {
    await page.route(/\/test$/, (route) =>
      route.fulfill({
        contentType: "application/json",
        body: `{"result":${json},"run_id":"01a203bc-e598-72de-8ca4-094cf583620b"}`,
      }),
    );
    await page.goto(`${app.base}/manager/connectors/form/${row}?op=wipe`);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await result().waitFor();
    await page.unrouteAll();
  }

  const large: Array<[string, string]> = [
    ["10,000 levels of lists", `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
    ["10,000 levels of objects", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
    ["160,000 branches", JSON.stringify(grow(4))],
    ["100,000 members", JSON.stringify(Object.fromEntries(keys))],
    ["a text of a megabyte", JSON.stringify("x".repeat(mebibyte))],
    ["a name of a megabyte", JSON.stringify({ ["x".repeat(mebibyte)]: 1 })],
  ];

  test.each(someOf(1, large))("Of %s only the beginning is in the document", async (_, json) => {
    await show(json);
    expect(await countElements()).toBeLessThan(2500);
    const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(wide).toBe(1280);
    await page.click("[role=tab]:has-text('As a client sees it')");
    await page.locator("pre").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest(
    "What is closed is made when it is opened, and the rest of a list or a text in steps",
    async () => {
      await show(JSON.stringify({ list: keys.map(([key]) => key), text: "y".repeat(mebibyte) }));
      expect(await result().getByText("key 7", { exact: true }).count()).toBe(0);
      await result().getByText("[…] 100,000 items").click();
      await result().getByText("key 7", { exact: true }).waitFor();
      await result().getByText("Show 100 more", { exact: true }).click();
      await result().getByText("key 107", { exact: true }).waitFor();
      await result().getByText("Show 32768 more characters").click();
      const shown = await result().getByText("yyy").innerText();
      expect(shown.replace(/[^y]/g, "").length).toBe(600 + 32_768);
      expect(visitor.faults).toEqual([]);
    },
  );
});
