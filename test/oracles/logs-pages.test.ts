/** The plugin `logs` is set up by clicks in a real browser, against a stand-in of its dashboard host. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createDataFolder } from "../support/data-folder.ts";
import { createLogHost } from "../support/log-host.ts";
import { buildPluginCatalog } from "../support/plugin-catalog.ts";
import { type RecordingHost, startRecordingHost } from "../support/recording-host.ts";
import { checkAccessibility } from "./support/app-pages.ts";
import { attack, callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const password = "the-host-password";
const normal = createLogHost({
  lines: [
    {
      timeNs: BigInt(Date.now() - 60_000) * 1_000_000n,
      labels: { app: "api" },
      line: attack,
    },
  ],
  authorization: `Basic ${btoa(`ada:${password}`)}`,
});
let host: RecordingHost;

async function toHubOptions(owned: AsyncDisposableStack) {
  host = owned.use(
    await startRecordingHost(async (sent) => {
      if (sent.target !== "/api/user/orgs") return await normal(sent);
      return { body: [{ orgId: 1, name: attack, role: "Viewer" }] };
    }),
  );
  const folder = owned.use(await createDataFolder());
  return { env: { HUB_PLUGIN_CATALOG: await buildPluginCatalog(["logs"], folder.path, "thin") } };
}

describeApp({ title: "The plugin logs in a browser", toHubOptions }, (app) => {
  beforeAll(() => app.hub.cli("plugin", "install", "logs"));

  test("The status follows the address, the organisation opens the datasources, and a query has the lines", async () => {
    await using visitor = await app.open("/manager/connectors/logs/new");
    const { page, faults } = visitor;
    const field = (key: string) => page.locator(`[data-field="${key}"]`);
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
    await page.getByLabel("Label").fill("Production logs");
    await press("Create and set up");
    await field("status").getByText("Set Base URL and save the row first.").waitFor();

    await field("base_url").locator("input").fill(host.url);
    await field("status").getByText("Save first: it uses the saved settings.").waitFor();
    await press("Save");
    await field("status").getByText("The host answers. Version 11.2.0, database ok.").waitFor();
    await field("org_id").getByText("Set Username and Password").waitFor();

    await field("username").locator("input").fill("ada");
    await field("password").locator("input").fill(password);
    await press("Save");
    const organisation = field("org_id").getByRole("button", { name: "<img src=x" });
    await organisation.waitFor();
    await field("datasource_uid").getByText("Select the organisation (org_id)").waitFor();
    expect(await field("org_id").locator("input").count()).toBe(0);

    host.takeSent();
    await organisation.click();
    await field("org_id").getByText("(selected)").waitFor();
    await field("datasource_uid").getByRole("button", { name: "Logs" }).click();
    await field("datasource_uid").getByText("Stored: loki-1").waitFor();
    const sent = host.takeSent();
    const asked = sent.filter(({ target }) => target === "/api/user/orgs");
    expect(asked.some(({ headers }) => "x-dashboard-org-id" in headers)).toBe(false);
    const sources = sent.filter(({ target }) => target === "/api/datasources");
    expect(sources.at(-1)?.headers["x-dashboard-org-id"]).toBe("1");
    await page.getByText("Needs setup").waitFor({ state: "detached" });
    await press("Check connection");
    await page.getByText("The connection works.").waitFor();
    await checkAccessibility(visitor);

    await page.goto(`${page.url().split("?")[0]}?op=query`);
    await field("query").locator("input, textarea").fill('{app="api"}');
    await press("Call");
    const result = page.getByRole("group", { name: "Result" });
    await result.getByText("window.attacked=1").waitFor();
    expect(await page.evaluate("window.attacked ?? null")).toBeNull();
    expect(faults).toEqual([]);
  });

  test("A host that refuses or does not answer is said in its widgets", async () => {
    const values = { base_url: host.url, username: "ada", password };
    const added = { connector: "logs", label: "Down", values };
    const token = await app.hub.makeManageToken();
    const row = await callApi<{ id: string }>(app.base, token, "POST /manager/api/rows", added);
    host.answerBy(() => ({ status: 500, body: attack }));
    await using visitor = await app.open(`/manager/connectors/logs/${row.id}`);
    const { page, faults } = visitor;
    await page.locator('[data-field="status"]').getByText("500").first().waitFor();
    await page.locator('[data-field="org_id"]').getByText("500").first().waitFor();
    await page.getByRole("button", { name: "Check connection" }).click();
    await page.locator("main").getByText("500").last().waitFor();
    expect(await page.evaluate("window.attacked ?? null")).toBeNull();
    expect(faults).toEqual([]);
  });
});
