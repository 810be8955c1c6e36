/** The pages of workflows besides the canvas: whole flows in a real browser, and each page in its looks. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { someOf } from "../../packages/server/src/lib/testing/amount.ts";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { checkAccessibility, checkPages, checkSchemes } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(240_000);

const greeting = {
  triggers: [
    {
      id: "by_hand",
      type: "manual",
      entry: "greet",
      label: "Greet someone",
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

/** The nodes of type http call the hub itself. */
const toHubOptions = async () => ({ env: { HUB_WORKFLOW_OUTBOUND_ALLOW: "localhost" } });

describeApp({ title: "The pages of workflows", toHubOptions }, (app) => {
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
      `/workflows/${greet}`,
      `/workflows/${stock}`,
      "/workflows?make=new",
      ...someOf(3, ["runs", "schedule", "webhooks", "versions", "secrets", "settings"]).map(
        (tab) => `/workflows/${greet}?tab=${tab}`,
      ),
    ]);
  });

  test("On the detail page, the manual runner starts a run by its form, and the run is followed to its end", async () => {
    await using visitor = await app.open("/workflows");
    const { page, faults } = visitor;
    await page.click("[role=table] >> text=Greeting");
    await page.getByRole("link", { name: "Run", exact: true }).click();
    await page.waitForURL(/open=run/);
    await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await checkSchemes(visitor);
    await page.getByLabel("Who").fill("Ada");
    await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
    await page.waitForURL(/run=[0-9a-f-]{36}/);
    await page.getByText("Hello Ada").waitFor();
    expect(await page.getByRole("list", { name: "Steps" }).innerText()).toMatch(
      /Succeeded\s+greet/,
    );
    expect(faults.filter((fault) => !fault.includes("status of 422"))).toEqual([]);
  });

  nightlyTest(
    "The page opens with a picture of what is published, and each step of it leads to the canvas",
    async () => {
      const id = await addWorkflow("Drawn", {
        triggers: [{ id: "start", type: "manual", entry: "check", label: "Begin" }],
        nodes: [
          { id: "check", type: "branch", conditions: [{ left: "2", op: "gt", right: 1 }] },
          { id: "yes", type: "fail", message: "The stock is empty.", label: "Give up" },
          { id: "no", type: "set", value: 1 },
        ],
        edges: [
          { from: "check", to: "yes", case: "true" },
          { from: "check", to: "no", case: "false" },
        ],
      });
      await api(`POST /manager/api/workflows/${id}/runs`, { wait_s: 10 });
      await using visitor = await app.open(`/workflows/${id}`);
      const { page, faults } = visitor;
      const picture = page.getByRole("group", { name: "Picture of Drawn" });
      await picture.locator("[data-node=yes][data-state=failed]").waitFor();
      const linkOf = (name: string) => picture.getByRole("link", { name });
      expect(await picture.getByRole("link").count()).toBe(4);
      expect(await linkOf("Begin, trigger, Started by hand, Succeeded").count()).toBe(1);
      expect(await picture.locator("[data-node=no][data-state]").count()).toBe(0);
      await page.getByText("Failed: 1 step").waitFor();
      await page.getByText("yes: The stock is empty.").waitFor();
      await checkSchemes(visitor);
      // One step is reached by Tab, and the others by the arrow keys.
      expect(await picture.locator("a[tabindex='0']").count()).toBe(1);
      await linkOf("Begin").focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await page.locator("[data-node=yes]:focus").waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(`${app.base}/workflows/${id}/edit?node=yes`);
      await page.locator("[data-item=yes][data-selected]").waitFor();
      await page.goBack();
      await linkOf("Set").click();
      await page.waitForURL(`${app.base}/workflows/${id}/edit?node=no`);
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "An address of a run opens the list of runs, and closing the run stays there",
    async () => {
      const { run_id: run } = await api<{ run_id: string }>(
        `POST /manager/api/workflows/${greet}/runs`,
        { trigger_id: "by_hand", payload: { who: "Ada" }, wait_s: 10 },
      );
      await using visitor = await app.open(`/workflows/${greet}?run=${run}`);
      const { page } = visitor;
      await page.getByRole("heading", { name: "The run has ended" }).waitFor();
      await page.getByRole("button", { name: "Close this run" }).click();
      await page.getByRole("tab", { name: "Runs", selected: true }).waitFor();
      await page.getByRole("tab", { name: "Overview" }).click();
      await page.getByRole("group", { name: "Picture of Greeting" }).waitFor();
    },
  );

  nightlyTest("The list says what starts each workflow and how its last runs went", async () => {
    await using visitor = await app.open("/workflows");
    const { page, faults } = visitor;
    const rowOf = (name: string) => page.getByRole("row").filter({ hasText: name });
    await rowOf("Greeting").getByText("By hand, Every day at 03:00").waitFor();
    await rowOf("Stock").getByText("0%").first().waitFor();
    const strip = rowOf("Stock").getByRole("img", { name: /^The last .*failed$/ });
    expect(await strip.locator("rect[data-state=failed]").count()).toBeGreaterThan(0);
    expect(await strip.locator("title").first().textContent()).toContain(": Failed, took ");
    expect(faults).toEqual([]);
  });

  nightlyTest("The keyboard alone starts a workflow from an example", async () => {
    const cleo = await app.addUser("cleo@example.com");
    await using visitor = await app.open("/workflows", { as: cleo });
    const { page, faults } = visitor;
    const cards = page.getByRole("list", { name: "Examples" }).getByRole("listitem");
    await cards.first().waitFor();
    expect(await cards.count()).toBe(11);
    await page
      .getByRole("img", { name: /^Picture of .*\. Starts with .*\. Then / })
      .last()
      .waitFor();
    await checkSchemes(visitor);
    await page.getByRole("button", { name: "Use the example Turn alerts into issues" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/example=alert-to-issue/);
    await page.getByRole("dialog").getByText("Row of Code host").waitFor();
    await page.locator("input:focus").waitFor();
    await checkAccessibility(visitor);
    await page.getByRole("button", { name: "Examples" }).focus();
    await page.keyboard.press("Enter");
    const use = page.getByRole("dialog").getByRole("button", { name: /^Use the example Check/ });
    await use.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/example=health-check/);
    await page.getByRole("dialog").getByLabel("Name").press("Enter");
    await page.waitForURL(/\/workflows\/[\w-]+\/edit/);
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "A workflow that is offered as a tool has a row, which leads back to it",
    async () => {
      const [byHand] = greeting.triggers;
      const body = { ...greeting, triggers: [{ ...byHand, as_tool: true }] };
      const { id } = await api("POST /manager/api/workflows", { name: "Greet as a tool", body });
      await using visitor = await app.open(`/workflows/${id}?open=publish`);
      const { page } = visitor;
      const dialog = page.getByRole("dialog");
      await dialog.getByText("It becomes a tool of its own for clients of admins").waitFor();
      await dialog.getByRole("button", { name: "Publish" }).click();
      await page.getByText("Version 1 of Greet as a tool is published.").waitFor();
      await page.goto(`${app.base}/manager/connectors/workflow_tool`);
      expect(await page.getByRole("link", { name: "New row" }).count()).toBe(0);
      await page.getByRole("link", { name: "Greet as a tool" }).click();
      await page.getByText("Made by the hub").waitFor();
      const { pathname } = new URL(page.url());
      await page.getByRole("tab", { name: "Test" }).click();
      await page.getByLabel("who").fill("Ada");
      await page.getByRole("button", { name: "Call", exact: true }).click();
      await page.getByText("Hello Ada").first().waitFor();
      await page.getByRole("tab", { name: "Access" }).click();
      await page.getByText("Change the workflow, and publish it.").waitFor();
      expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
      await page.getByRole("tab", { name: "Settings" }).click();
      await page.getByRole("link", { name: "Go to the workflow" }).click();
      await page.waitForURL(new RegExp(`/workflows/${id}`));
      await checkPages(visitor, ["/manager/connectors/workflow_tool", pathname]);
    },
  );

  nightlyTest(
    "A run of the draft goes through each type of node, and the graph shows how each went",
    async () => {
      const { id: row } = await api("POST /manager/api/rows", {
        connector: "http",
        label: "Itself",
        tags: [],
        values: { base_url: app.base },
      });
      const nodes = [
        { id: "list", type: "set", value: { ids: [1, 2], kind: "big" } },
        {
          id: "branch",
          type: "branch",
          conditions: [{ left: "{{len .Node.list.ids}}", op: "gt", right: 1 }],
        },
        {
          id: "switch",
          type: "switch",
          value: "{{.Node.list.kind}}",
          cases: [{ case: "big", op: "eq", right: "big" }],
        },
        {
          id: "call",
          type: "operation",
          tool_id: `conn:${row}/get`,
          params: { path: "/health" },
          for_each: "{{.Node.list.ids}}",
          items_at_once: 2,
        },
        {
          id: "ask",
          type: "http",
          url: `${app.base}/health`,
          retry: { attempts: 2, backoff_s: 1 },
        },
        { id: "refused", type: "http", url: "http://localhost:1/", on_error: "route" },
        { id: "pause", type: "wait", seconds: 1 },
        { id: "other", type: "workflow", workflow_id: greet, payload: { who: "Ada" } },
        { id: "respond", type: "webhook_respond", respond_body: "{{.Node.other}}" },
        { id: "stop", type: "fail", message: "{{.Node.other}} is enough." },
      ];
      const edges = [
        { from: "list", to: "branch" },
        { from: "branch", to: "switch", case: "true" },
        { from: "switch", to: "call", case: "big" },
        { from: "call", to: "ask" },
        { from: "ask", to: "refused" },
        { from: "refused", to: "pause", case: "error" },
        { from: "pause", to: "other" },
        { from: "other", to: "respond" },
        { from: "respond", to: "stop" },
      ];
      const triggers = [{ id: "start", type: "manual", entry: "list" }];
      const body = { triggers, nodes, edges };
      const { id } = await api("POST /manager/api/workflows", { name: "Each node", body });
      await using visitor = await app.open(`/workflows/${id}/edit`);
      const { page, faults } = visitor;
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
      await page.getByText("stop: Hello Ada is enough.").waitFor();
      const failed = new Set(["refused", "stop"]);
      for (const { id: node } of nodes) {
        const state = failed.has(node) ? "failed" : "succeeded";
        await page.locator(`[data-item=${node}][data-state=${state}]`).waitFor();
      }
      const runs = `GET /manager/api/workflows/${id}/runs`;
      const [run] = (await api<{ runs: Array<{ id: string }> }>(runs)).runs;
      const readItems = async (query: string) => {
        type Events = { events: Array<{ step?: { node_id: string; item: number | null } }> };
        const { events } = await api<Events>(`${runs}/${run?.id}/events${query}`);
        return events.filter(({ step }) => step?.node_id === "call").map(({ step }) => step?.item);
      };
      expect((await readItems("")).toSorted()).toEqual([0, 1, null]);
      expect(await readItems("?items=false")).toEqual([null]);
      expect(faults).toEqual([]);
    },
  );

  nightlyTest("The page of a draft has its schedule in words", async () => {
    const trigger = { id: "daily", type: "cron", schedule: "0 30 6 * * 1-5", entry: "note" };
    const { id } = await api<{ id: string }>("POST /manager/api/workflows", {
      name: "Not published",
      body: {
        triggers: [{ ...trigger, timezone: "Europe/Berlin" }],
        nodes: [{ id: "note", type: "set", value: 1 }],
      },
    });
    await using visitor = await app.open(`/workflows/${id}`);
    const card = visitor.page.getByRole("region", { name: "What starts it" });
    await card.getByText("Every weekday at 06:30 (Europe/Berlin)").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest("The list of runs says which trigger of each type started a run", async () => {
    const broken = await addWorkflow("Broken", failing);
    const id = await addWorkflow("Each trigger", {
      triggers: [
        { id: "by_hand", type: "manual", entry: "plan" },
        { id: "posted", type: "webhook", entry: "note" },
        { id: "ticking", type: "cron", schedule: "* * * * * *", entry: "note" },
        { id: "planned", type: "schedule_at", entry: "note" },
        { id: "after_failure", type: "error", source_workflow: broken, entry: "note" },
      ],
      nodes: [
        { id: "plan", type: "set", value: { schedule_at: new Date(Date.now() + 2_500) } },
        { id: "note", type: "set", value: "{{.Event.Type}}" },
      ],
    });
    await api(`POST /manager/api/workflows/${id}/runs`, { trigger_id: "by_hand" });
    await fetch(`${app.base}/webhook/${id}`, { method: "POST", body: "{}" });
    await api(`POST /manager/api/workflows/${broken}/runs`, {});
    await using visitor = await app.open(`/workflows/${id}?tab=runs`);
    const { page, faults } = visitor;
    const table = page.getByRole("table", { name: "Runs" });
    for (const trigger of ["by_hand", "posted", "ticking", "planned", "after_failure"]) {
      await table.getByText(trigger, { exact: true }).first().waitFor();
    }
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText("Each trigger is disabled: its triggers start no runs.").waitFor();
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "The list of runs says what started a run and why it failed, and the Replay link starts it again",
    async () => {
      await using visitor = await app.open(`/workflows/${stock}?state=failed`);
      const { page, faults } = visitor;
      const rows = page.getByRole("table", { name: "Runs" }).getByRole("row");
      await rows.nth(1).getByText("stop: The stock is empty.").waitFor();
      expect(await rows.nth(1).innerText()).toMatch(/start\s+local-admin|start\s+\S+@/);
      await rows.nth(1).getByRole("button", { name: "Replay" }).click();
      await page.getByRole("dialog").waitFor();
      await checkSchemes(visitor);
      await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
      await page.waitForURL(/run=/);
      await page.getByRole("heading", { name: "The run has ended" }).waitFor();
      const { runs } = await api<{ runs: Array<{ parent_run_id: string | null }> }>(
        `GET /manager/api/workflows/${stock}/runs`,
      );
      expect(runs.map(({ parent_run_id: parent }) => parent !== null)).toEqual([true, false]);
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "A failed run is found on the dashboard, understood, mended and replayed",
    async () => {
      const { id: row } = await api("POST /manager/api/rows", {
        connector: "http",
        label: "Shop",
        tags: [],
        values: { base_url: app.base },
      });
      const id = await addWorkflow("Mend me", {
        triggers: [{ id: "start", type: "manual", entry: "read" }],
        nodes: [
          {
            id: "read",
            type: "operation",
            tool_id: `conn:${row}/get`,
            params: { path: "/{{.Event.Payload.what}}/stock" },
          },
        ],
      });
      await api(`POST /manager/api/workflows/${id}/runs`, {
        payload: { what: "north" },
        wait_s: 10,
      });
      await using visitor = await app.open("/");
      const { page, faults } = visitor;
      const found = page.getByRole("listitem").filter({ hasText: "Mend me" });
      await found.getByRole("link", { name: "Mend me" }).click();
      const rendered = page.getByRole("group", { name: "Rendered fields" });
      await rendered.getByText("/north/stock").waitFor();
      await page.getByRole("link", { name: "Edit the draft" }).click();
      const path = page.locator("[data-inspector]").getByRole("textbox", { name: "Path" });
      await path.fill("/health?{{.Event.Payload.what}}");
      await page.locator("[data-inspector]").getByText("= /health?north").waitFor();
      await page.getByRole("button", { name: "Publish" }).click();
      await page
        .getByRole("dialog")
        .getByText(/node "read"/)
        .waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
      await page.getByText("Published, version 2").waitFor();
      await page.getByRole("link", { name: "Open the run" }).click();
      await page.getByRole("button", { name: "Replay" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
      await page.getByRole("status").getByText("Succeeded").waitFor();
      await page.locator("[data-item=read][data-state=succeeded]").waitFor();
      expect(faults).toEqual([]);
    },
  );

  nightlyTest("A workflow is exported, imported, and started from an example", async () => {
    await using visitor = await app.open(`/workflows/${greet}?tab=settings`);
    const { page, faults } = visitor;
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${greet}.json`);
    const file = await download.path();
    await page.goto(`${app.base}/workflows`);
    await page.getByRole("button", { name: "Import" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.locator("input[type=file]").setInputFiles({
      name: "broken.json",
      mimeType: "application/json",
      buffer: Buffer.from("{"),
    });
    await dialog.getByText("The file is not JSON.").waitFor();
    await checkAccessibility(visitor);
    await dialog.locator("input[type=file]").setInputFiles(file);
    await dialog.getByText("Greeting", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Import" }).click();
    await page.waitForURL(/\/workflows\/greeting-\w+$/);
    expect(page.url()).not.toContain(greet);
    await page.goto(`${app.base}/workflows?make=new`);
    await page.getByRole("button", { name: "Use the example Check that a site answers" }).click();
    await checkAccessibility(visitor);
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.waitForURL(/\/workflows\/[\w-]+\/edit/);
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "The dashboard, the palette, the changes and the run of a call lead to workflows",
    async () => {
      const { id: row } = await api("POST /manager/api/rows", {
        connector: "http",
        label: "Hub",
        tags: [],
        values: { base_url: app.base },
      });
      const calling = await addWorkflow("Lineage", {
        triggers: [{ id: "start", type: "manual", entry: "call" }],
        nodes: [
          { id: "call", type: "operation", tool_id: `conn:${row}/get`, params: { path: "/" } },
        ],
      });
      const { run_id: run } = await api<{ run_id: string }>(
        `POST /manager/api/workflows/${calling}/runs`,
        { wait_s: 10 },
      );
      const { runs } = await api<{ runs: Array<{ id: string }> }>(
        "GET /manager/api/runs?source=workflow",
      );
      await using visitor = await app.open("/");
      const { page, faults } = visitor;
      const attention = page.getByRole("region", { name: "Needs attention" });
      await attention.getByRole("link", { name: "Stock", exact: true }).waitFor();
      expect(await attention.innerText()).toContain("The stock is empty.");
      for (const [typed, entry] of [
        ["greet", /Run Greeting/],
        [run, /Run of Lineage/],
      ] as const) {
        await page.keyboard.press("Control+k");
        await page.getByRole("combobox", { name: "Search" }).fill(typed);
        await page.getByRole("option", { name: entry }).first().waitFor();
        await page.keyboard.press("Escape");
      }
      await page.goto(`${app.base}/admin/changes?kind=workflow`);
      await page.getByText("published the workflow").first().waitFor();
      await page.goto(`${app.base}/manager/runs/${runs[0]?.id}`);
      const link = page.getByRole("link", { name: run.slice(-12) });
      expect(await link.getAttribute("href")).toBe(`/workflows/${calling}/runs/${run}`);
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "The keyboard alone finds a workflow, runs it and cancels a waiting run",
    async () => {
      const waiting = await addWorkflow("Waiting", {
        triggers: [{ id: "start", type: "manual", entry: "pause" }],
        nodes: [{ id: "pause", type: "wait", seconds: 3600 }],
      });
      await using visitor = await app.open("/");
      const { page, faults } = visitor;
      await page.keyboard.press("Control+k");
      await page.waitForSelector("[role=combobox]:focus");
      await page.keyboard.type("Run Waiting");
      await page.getByRole("option", { name: /Run Waiting/ }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(`${app.base}/workflows/${waiting}?open=run`);
      await page.getByLabel("Payload").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Run" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("Waiting", { exact: true }).first().waitFor();
      await page.getByRole("button", { name: "Cancel the run of start" }).first().focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "The run has ended" }).waitFor();
      await page.getByText("Cancelled", { exact: true }).first().waitFor();
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "Who shares a tag sees how runs ended and starts one by hand; a stranger sees nothing",
    async () => {
      const ada = await app.addUser("ada@example.com", { tags: ["team"] });
      const ben = await app.addUser("ben@example.com");
      await api(`PUT /manager/api/workflows/${greet}/tags`, { tags: ["team"] });
      await using sharer = await app.open(`/workflows/${greet}?tab=settings`, { as: ada });
      const { page, faults } = sharer;
      await page.getByRole("table", { name: "Runs" }).waitFor();
      expect(await page.getByRole("tab").count()).toBe(0);
      const controls = ["Edit", "Publish", "Disable", "Replay"];
      for (const name of controls) {
        expect(await page.getByText(name, { exact: true }).count()).toBe(0);
      }
      expect(await page.locator("main").innerText()).not.toContain("admin@localhost");
      await checkAccessibility(sharer);
      await page.getByRole("link", { name: "Run", exact: true }).click();
      await page.getByLabel("Who").fill("Ben");
      expect(await page.getByRole("dialog").getByRole("switch").count()).toBe(0);
      await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
      await page.getByRole("heading", { name: "The run has ended" }).waitFor();
      expect(await page.locator("main").innerText()).not.toContain("Hello");
      await api(`PATCH /manager/api/workflows/${greet}`, { run_by: "owner" });
      await page.reload();
      await page.getByRole("table", { name: "Runs" }).waitFor();
      expect(await page.getByRole("link", { name: "Run", exact: true }).count()).toBe(0);
      expect(faults).toEqual([]);
      await using stranger = await app.open(`/workflows/${greet}`, { as: ben });
      await stranger.page.getByText("There is no such workflow.").waitFor();
      await stranger.page.goto(`${app.base}/workflows`);
      await stranger.page.getByText("No workflows yet").waitFor();
    },
  );
});
