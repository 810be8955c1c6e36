/**
 * Texts from outside in a real browser: names and texts of a connector, results, errors, picker items, tags,
 * labels and user agents are markup. None of it runs, and the content policy reports nothing.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { visit } from "./support/app-pages.ts";
import { attack, callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/hostile-texts-hub.ts");

describeApp({ title: "Texts from outside", toHubOptions: async () => ({ main }) }, (app) => {
  test("No text of a connector, result, error, picker, label or search runs on any page", async () => {
    const token = await app.hub.makeManageToken();
    const api = (route: string, body?: unknown) =>
      callApi<Record<string, string>>(app.base, token, route, body);
    const label = attack.slice(0, 90);
    const row = (await api("POST /manager/api/rows", { connector: "hostile", label })).id;
    const test = `/manager/api/rows/${row}/operations`;
    const { run_id: run } = await api(`POST ${test}/echo/test`, { params: { text: attack } });
    await api(`POST ${test}/fail/test`, {}).catch(() => {});
    const workflow = await addHostileWorkflow(api);
    await using visitor = await app.open("/", { userAgent: attack });
    const { page, faults } = visitor;
    const home = `/manager/connectors/hostile/${row}`;
    const checkNothingRan = async (path: string) => {
      const ran = await page.evaluate("window.attacked ?? null");
      const images = await page.locator("img[src=x]").count();
      expect({ path, ran, images }).toEqual({ path, ran: null, images: 0 });
    };
    for (const path of [
      "/",
      "/manager/connectors",
      "/manager/add",
      "/manager/connectors/hostile",
      "/manager/connectors/hostile/new",
      home,
      `${home}?tab=operations`,
      `${home}?tab=history`,
      `${home}?tab=access`,
      "/workflows",
      ...["runs", "webhooks", "versions", "settings"].map(
        (tab) => `/workflows/${workflow}?tab=${tab}`,
      ),
      `/workflows/${workflow}?open=run`,
      `/workflows/${workflow}?open=publish`,
      "/manager/runs",
      `/manager/runs/${run}`,
      "/admin/connectors",
      "/admin/changes",
    ]) {
      await visit(visitor, path);
      await page.locator("[aria-label=Loading]").first().waitFor({ state: "detached" });
      await checkNothingRan(path);
    }
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
    await page.goto(`${app.base}${home}`);
    await page.locator('[data-field="shown"]').getByText("end of the widget").waitFor();
    await page.locator('[data-field="people"] input[id]').pressSequentially("x");
    await page.locator("[role=option]:visible").first().click();
    await page.locator('[data-field="people"]').getByText("Saved", { exact: true }).waitFor();
    await press("Check connection");
    await page.getByRole("status").getByText("window.attacked").waitFor();
    await page.locator("main").getByRole("button", { expanded: false }).first().click();
    await page.locator('[data-field="note"]').waitFor();
    await checkNothingRan("the settings");
    await page.goto(`${app.base}${home}?op=echo`);
    await press("Call");
    await page
      .getByRole("group", { name: "Result" })
      .getByText("window.attacked")
      .first()
      .waitFor();
    await page.click("[role=tab]:has-text('As a client sees it')");
    await checkNothingRan("the result");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("img src");
    await page.waitForLoadState("networkidle");
    await checkNothingRan("the search");
    await page.keyboard.press("Escape");
    expect(faults).toEqual([]);
    await page.goto(`${app.base}${home}?op=fail`);
    await press("Call");
    await page.getByText("The call failed").waitFor();
    await checkNothingRan("the error");
    await page.goto(`${app.base}${home}`);
    await press("Delete");
    await page.getByRole("dialog").getByText("window.attacked").first().waitFor();
    await checkNothingRan("the question");
    expect(faults.filter((fault) => !fault.includes("Failed to load resource"))).toEqual([]);
  });
});

type Api = (route: string, body?: unknown) => Promise<Record<string, string>>;

/** A workflow with markup in its texts, a failed run, and a newer draft. */
async function addHostileWorkflow(api: Api): Promise<string> {
  const body = {
    triggers: [
      {
        id: "start",
        type: "manual",
        entry: "stop",
        label: attack.slice(0, 150),
        input: [{ name: "Text", tag: "desc=<img src=x onerror=window.attacked=1>" }],
      },
      { id: "hook", type: "webhook", entry: "stop", label: attack.slice(0, 150) },
    ],
    nodes: [{ id: "stop", type: "fail", message: attack }],
    settings: { env: { MARKUP: attack } },
  };
  const created = { name: attack.slice(0, 90), description: attack.slice(0, 200), body };
  const { id = "" } = await api("POST /manager/api/workflows", created);
  await api(`POST /manager/api/workflows/${id}/publish`, {
    revision: 1,
    note: attack.slice(0, 200),
  });
  await api(`POST /manager/api/workflows/${id}/runs`, { payload: { text: attack }, wait_s: 10 });
  await api(`PUT /manager/api/workflows/${id}/draft`, {
    revision: 1,
    body: { ...body, nodes: [{ id: "stop", type: "fail", message: `${attack} again` }] },
  });
  return id;
}
