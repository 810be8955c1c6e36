/** Html widgets among the inputs of an operation, in the test panel of a real browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type AppVisitor, checkAccessibility } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");
const title = "An html widget among the inputs of an operation";

describeApp({ title, toHubOptions: async () => ({ main }) }, (app) => {
  let token: string;
  let row: string;
  let visitor: AppVisitor;
  let page: Page;

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    visitor = await app.open();
    page = visitor.page;
    const values = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R" };
    const added = { connector: "form", label: "Form", values };
    ({ id: row } = await callApi<{ id: string }>(app.base, token, "POST /manager/api/rows", added));
  });
  afterAll(() => visitor[Symbol.asyncDispose]());

  const town = () => page.locator('[data-field="town"]');
  const open = () => page.goto(`${app.base}/manager/connectors/form/${row}?op=book`);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

  test("A choice becomes the value of the input, calls no operation, and is sent with Run", async () => {
    await open();
    await town().getByText("Before: nothing").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await town().getByText("Oslo").click();
    await town().getByText("Chosen: oslo").waitFor();
    expect(asked).toEqual([]);
    page.removeAllListeners("request");
    await press("Refresh Town");
    await town().getByText("Before: oslo").waitFor();
    await press("Call");
    await page.getByRole("group", { name: "Result" }).getByText("oslo").waitFor();
    await checkAccessibility(visitor);
    expect(await page.evaluate<unknown>("window.ran")).toBeUndefined();
    expect(visitor.faults).toEqual([]);
  });

  test("A click sends its argument and the named elements, a checkbox only when checked, as a test", async () => {
    await open();
    const sent = async () => JSON.parse((await town().locator("#sent").textContent()) ?? "");
    await town().getByText("Send").click();
    expect(await sent()).toEqual({ days: "3" });
    await press("Refresh Town");
    await town().getByLabel("Dry run").check();
    await town().getByLabel("Days").fill("8");
    await town().getByText("Send").click();
    expect(await sent()).toEqual({ days: "8", dry_run: "on" });
    const { runs } = await callApi<{ runs: Array<{ operation_key: string; source: string }> }>(
      app.base,
      token,
      `GET /manager/api/rows/${row}/runs?operation=show_inputs`,
    );
    expect(runs.map(({ source }) => source)).toEqual(["test", "test"]);
    expect(visitor.faults).toEqual([]);
  });

  test("A click that fails says why, and the widget stays", async () => {
    await open();
    await town().getByText("Fail").click();
    await town().getByRole("alert").waitFor();
    await town().getByText("Before: nothing").waitFor();
    visitor.faults.splice(0);
  });

  test("An earlier call fills in the choice again", async () => {
    const { runs } = await callApi<{ runs: Array<{ id: string }> }>(
      app.base,
      token,
      `GET /manager/api/rows/${row}/runs?operation=book`,
    );
    await page.goto(`${app.base}/manager/connectors/form/${row}?op=book&prefill=${runs[0]?.id}`);
    await town().getByText("Before: oslo").waitFor();
    await town().getByText("Chosen: oslo").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("The form hands on mode=fixed and mode=expression", async () => {
    const { groups } = await callApi<{ groups: Array<{ fields: Array<{ mode: string }> }> }>(
      app.base,
      token,
      `GET /manager/api/rows/${row}/operations/book`,
    );
    expect(groups.flatMap(({ fields }) => fields.map(({ mode }) => mode))).toEqual([
      "fixed",
      "expression",
    ]);
  });
});
