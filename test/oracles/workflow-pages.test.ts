/** The pages of workflows besides the canvas: whole flows in a real browser, and each page in its looks. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { checkPages } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(120_000);

const greeting = {
  triggers: [
    {
      ...{ id: "by_hand", type: "manual", entry: "greet", label: "Greet someone" },
      input: [{ name: "Who", tag: "required;desc=Whom to greet" }],
    },
    { id: "nightly", type: "cron", schedule: "0 0 3 * * *", timezone: "UTC", entry: "greet" },
  ],
  nodes: [{ id: "greet", type: "set", value: "Hello {{.Event.Payload.who}}" }],
};
const failing = {
  triggers: [{ id: "start", type: "manual", entry: "stop" }],
  nodes: [{ id: "stop", type: "fail", message: "The stock is empty." }],
};

describeApp({ title: "The pages of workflows" }, (app) => {
  let api: <T = { id: string }>(route: string, body?: unknown) => Promise<T>;
  let greet: string;
  let stock: string;

  const addWorkflow = async (name: string, body: object) => {
    const { id } = await api("POST /manager/api/workflows", { name, body });
    await api(`POST /manager/api/workflows/${id}/publish`, { revision: 1 });
    return id;
  };

  beforeAll(async () => {
    const token = await app.hub.makeManageToken();
    api = (route, body) => callApi(app.base, token, route, body);
    greet = await addWorkflow("Greeting", greeting);
    stock = await addWorkflow("Stock", failing);
    await api(`POST /manager/api/workflows/${stock}/runs`, { wait_s: 10 });
  });

  test("Every page of workflows fits and is accessible in each look", async () => {
    await using visitor = await app.open();
    await checkPages(visitor, [
      "/workflows",
      "/workflows?make=new",
      "/workflows?make=import",
      `/workflows/${greet}`,
      `/workflows/${greet}?open=run`,
      `/workflows/${greet}?open=publish`,
      `/workflows/${stock}`,
      ...["schedule", "webhooks", "versions", "secrets", "settings"].map(
        (tab) => `/workflows/${greet}?tab=${tab}`,
      ),
    ]);
  });

  test("The manual runner starts a run by its form, and the run is followed to its end", async () => {
    await using visitor = await app.open("/workflows");
    const { page, faults } = visitor;
    await page.click("[role=table] >> text=Greeting");
    await page.getByRole("link", { name: "Run", exact: true }).click();
    await page.waitForURL(/open=run/);
    await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await page.getByLabel("Who").fill("Ada");
    await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
    await page.waitForURL(/run=[0-9a-f-]{36}/);
    await page.getByText("Hello Ada").waitFor();
    expect(await page.getByRole("list", { name: "Steps" }).innerText()).toMatch(
      /Succeeded\s+greet/,
    );
    expect(faults.filter((fault) => !fault.includes("status of 422"))).toEqual([]);
  });

  test("The list of runs says what started a run and why it failed, and Replay starts it again", async () => {
    await using visitor = await app.open(`/workflows/${stock}?state=failed`);
    const { page, faults } = visitor;
    const rows = page.getByRole("table", { name: "Runs" }).getByRole("row");
    await rows.nth(1).getByText("stop: The stock is empty.").waitFor();
    expect(await rows.nth(1).innerText()).toMatch(/start\s+local-admin|start\s+\S+@/);
    await rows.nth(1).getByRole("button", { name: "Replay" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
    await page.waitForURL(/run=/);
    await page.getByRole("heading", { name: "The run has ended" }).waitFor();
    const { runs } = await api<{ runs: Array<{ parent_run_id: string | null }> }>(
      `GET /manager/api/workflows/${stock}/runs`,
    );
    expect(runs.map(({ parent_run_id: parent }) => parent !== null)).toEqual([true, false]);
    expect(faults).toEqual([]);
  });
});
