/**
 * The canvas of workflows in a real browser: from an empty draft to a published workflow that answers a
 * webhook, by mouse and by keyboard alone; each type of node; runs on the graph; two people on one draft.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import { checkAccessibility, checkPages, interceptRequests } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");

type Body = {
  triggers: Array<Record<string, unknown>>;
  nodes: Array<Record<string, unknown>>;
  edges: unknown[];
};
type Detail = { id: string; version: number; body: Body; draft: { revision: number } };

describeApp({ title: "The canvas", toHubOptions: async () => ({ main }) }, (app) => {
  let token: string;
  let row: string;
  let other: AppUser;

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    const values = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R" };
    const given = { connector: "form", label: "Shared", values, tags: ["everyone"] };
    row = (await api<{ id: string }>("POST /manager/api/rows", given)).id;
    other = await app.addUser("grace@example.com", { admin: true });
  });

  const api = <T = Record<string, unknown>>(route: string, body?: unknown) =>
    callApi<T>(app.base, token, route, body);
  const create = async (body: object = {}, name = "Orders") =>
    (await api<{ id: string }>("POST /manager/api/workflows", { name, body })).id;
  const read = (id: string) => api<Detail>(`GET /manager/api/workflows/${id}`);
  const item = (page: Page, id: string) => page.locator(`[data-item="${id}"]`);
  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first();
  const field = (page: Page, name: string) =>
    page.locator("[data-inspector]").getByRole("textbox", { name, exact: false }).first();
  const waitUntilSaved = async (page: Page) => {
    await page.keyboard.press("Control+s");
    await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
  };

  /** Adds an item by the palette, which is open. */
  const pick = async (page: Page, text: string) => {
    const palette = page.getByRole("region", { name: "Add", exact: true });
    await palette.getByRole("textbox").fill(text);
    await palette.locator("button[draggable]").first().click();
  };
  /** Runs the command that the page shows for a webhook, and returns what the hub answers. */
  const runCurl = async (curl: string, secret: string) => {
    const env = { PATH: process.env.PATH ?? "", SECRET: secret };
    return await new Response(Bun.spawn(["sh", "-c", curl], { env }).stdout).text();
  };
  test("By mouse, from no workflow to one that answers a signed webhook, as the page says", async () => {
    const newcomer = await app.addUser("new@example.com");
    await using visitor = await app.open("/workflows", { as: newcomer });
    const { page } = visitor;
    const dialog = page.getByRole("dialog");
    await button(page, "Make a workflow").click();
    await dialog.getByLabel("Name").fill("Orders");
    await dialog.getByRole("button", { name: "Create" }).click();
    await button(page, "Add a trigger").click();
    await pick(page, "webhook");
    await field(page, "Path").fill("orders");
    await page.getByLabel("Respond").selectOption({ label: "With a respond node" });
    await page.getByLabel("Signing secret").fill("SHOP_SECRET");
    await button(page, "Set SHOP_SECRET").click();
    await dialog.getByRole("button", { name: "Generate" }).click();
    const secret = await dialog.getByRole("textbox", { name: "Value" }).inputValue();
    await checkAccessibility(visitor);
    await dialog.getByRole("button", { name: "Save" }).click();
    await button(page, "Replace SHOP_SECRET").waitFor();
    await button(page, "Add after Webhook").click();
    await pick(page, "set");
    await field(page, "Value").fill('{"greeted": "{{.Event.Payload.body.hello}}"}');
    await button(page, "Add after Set").click();
    await pick(page, "respond");
    await page.getByRole("group", { name: /^Body/ }).getByText("Expression").click();
    await field(page, "Body").fill("Hello {{.Node.set.greeted}}");
    await button(page, "Publish").click();
    await dialog.getByText("The draft has no problems.").waitFor();
    await dialog.getByRole("button", { name: "Publish" }).click();
    const curl = await dialog.locator("details[open] pre").innerText();
    await checkAccessibility(visitor);
    expect(await runCurl(curl, secret)).toBe("Hello world");
    expect(await runCurl(curl, "another")).toContain('"unauthorized"');
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByText("Published, version 1").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest(
    "A secret that is set before the list of secrets has arrived is shown as set",
    async () => {
      const newcomer = await app.addUser("early@example.com");
      await using visitor = await app.open("/workflows", { as: newcomer });
      const { page } = visitor;
      const dialog = page.getByRole("dialog");
      await button(page, "Make a workflow").click();
      await dialog.getByLabel("Name").fill("Early");
      await dialog.getByRole("button", { name: "Create" }).click();
      await button(page, "Add a trigger").click();
      const isSet = Promise.withResolvers<void>();
      // The first list is read before the secret is set, and arrives after it.
      await interceptRequests(
        page,
        "**/secrets",
        async (route) => {
          const answer = await route.fetch();
          await isSet.promise;
          await route.fulfill({ response: answer });
        },
        { times: 1 },
      );
      await pick(page, "webhook");
      await page.getByLabel("Signing secret").fill("KEY");
      await button(page, "Set KEY").click();
      await dialog.getByRole("button", { name: "Generate" }).click();
      const put = page.waitForResponse(
        (answer) => answer.request().method() === "PUT" && answer.url().endsWith("/secrets/KEY"),
      );
      await dialog.getByRole("button", { name: "Save" }).click();
      await put;
      isSet.resolve();
      await button(page, "Replace KEY").waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "By keyboard alone, from no workflow to one that answers a signed webhook, as the page says",
    async () => {
      const newcomer = await app.addUser("keys@example.com");
      const permissions = ["clipboard-read", "clipboard-write"];
      await using visitor = await app.open("/workflows", { as: newcomer, permissions });
      const { page } = visitor;
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      /** Goes on with Tab until an element with this name has the focus. */
      const tabTo = async (name: string, key = "Tab") => {
        const isThere = () =>
          page.evaluate<boolean>(`(() => {
          const { activeElement: one } = document;
          const names = [one?.getAttribute("aria-label"), one?.textContent,
            ...[...(one?.labels ?? [])].map((label) => label.textContent)];
          return names.some((text) => text?.replace(" *", "").trim().startsWith(${JSON.stringify(name)}));
        })()`);
        for (let tries = 0; tries < 60 && !(await isThere()); tries += 1) await press(key);
        expect(await isThere()).toBe(true);
      };
      const add = async (text: string, made: string) => {
        await page.locator("section input:focus").waitFor();
        await page.keyboard.type(text);
        await page.locator("section button[draggable]").first().waitFor();
        await press("Enter");
        await page.locator(`[data-item="${made}"]:focus`).waitFor();
      };
      const copy = async (name: string) => {
        await tabTo(name);
        await press("Enter");
        await tabTo("Copied", "Shift+Tab");
        return await page.evaluate<string>("navigator.clipboard.readText()");
      };
      await button(page, "Make a workflow").waitFor();
      await tabTo("Make a workflow");
      await press("Enter");
      await page.getByRole("dialog").getByLabel("Name").and(page.locator(":focus")).waitFor();
      await page.keyboard.type("Orders");
      await press("Enter");
      await button(page, "Add a trigger").waitFor();
      await tabTo("Keys of the graph");
      await press("Enter");
      await page.getByRole("dialog").getByText("Add a node after the selected one").waitFor();
      await press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await tabTo("Add a trigger");
      await press("Enter");
      await add("webhook", "webhook");
      await press("Enter");
      await tabTo("Path");
      await page.keyboard.type("orders");
      await tabTo("Respond");
      await page.keyboard.type("With a");
      await tabTo("Signing secret");
      await page.keyboard.type("SHOP_SECRET");
      await tabTo("Set SHOP_SECRET");
      await press("Enter");
      await page.getByRole("dialog").locator("input:focus").waitFor();
      await tabTo("Generate");
      await press("Enter");
      const secret = await copy("Copy what is entered");
      await tabTo("Save");
      await press("Enter");
      await button(page, "Replace SHOP_SECRET").and(page.locator(":focus")).waitFor();
      await press("Escape");
      await page.locator("[data-item=webhook]:focus").waitFor();
      await press("n");
      await add("respond", "respond");
      await press("ArrowLeft");
      await page.locator("[data-item=webhook]:focus").waitFor();
      await press("ArrowRight", "Enter");
      await tabTo("Body");
      await page.keyboard.type("By keys");
      await press("Control+s");
      await tabTo("Publish", "Shift+Tab");
      await press("Enter");
      await page.getByRole("dialog").locator("input:focus").waitFor();
      await page.getByText("The draft has no problems.").waitFor();
      await tabTo("Publish");
      await press("Enter");
      await page.getByRole("dialog").locator("details[open] pre").waitFor();
      const curl = await copy("Copy the curl command");
      expect(await runCurl(curl, secret)).toBe("By keys");
      expect(await runCurl(curl.replace(/-H "X-Hub-Sig.*/, "\\"), secret)).toContain(
        '"unauthorized"',
      );
      expect(visitor.faults).toEqual([]);
    },
  );

  const nodes: ReadonlyArray<{
    search: string;
    id: string;
    fill: (page: Page) => Promise<unknown>;
    expected: object;
  }> = [
    {
      search: "http request",
      id: "http",
      expected: {
        url: "https://a.example/{{.Item}}",
        for_each: "{{.Event.Payload.ids}}",
        on_error: "route",
        retry: { attempts: 3, backoff_s: 1 },
      },
      async fill(page) {
        await field(page, "Address").fill("https://a.example/{{.Item}}");
        await page.locator("details summary", { hasText: "More" }).click();
        await field(page, "For each").fill("{{.Event.Payload.ids}}");
        await page.getByLabel("If it fails").selectOption("route");
        await page.getByLabel("Tries").fill("3");
      },
    },
    {
      search: "branch",
      id: "branch",
      expected: { conditions: [{ left: "{{.Event.Payload.n}}", op: "gt", right: "5" }] },
      async fill(page) {
        await page.getByLabel("Condition 1: value").fill("{{.Event.Payload.n}}");
        await page.getByLabel("Condition 1: comparison").selectOption("gt");
        await page.getByLabel("Condition 1: compared with").fill("5");
      },
    },
    {
      search: "switch",
      id: "switch",
      expected: { value: "{{.Event.Type}}", cases: [{ case: "big", op: "eq", right: "" }] },
      async fill(page) {
        await page
          .getByRole("group", { name: /^Value/ })
          .getByText("Expression")
          .click();
        await field(page, "Value").fill("{{.Event.Type}}");
        await page.getByLabel("Case 1: name").fill("big");
      },
    },
    {
      search: "set",
      id: "set",
      expected: { value: { a: 1 } },
      fill: (page) => field(page, "Value").fill('{"a": 1}'),
    },
    {
      search: "code",
      id: "code",
      expected: { source: "return 1;" },
      fill: (page) => field(page, "JavaScript").fill("return 1;"),
    },
    {
      search: "wait",
      id: "wait",
      expected: { seconds: 5 },
      fill: (page) => page.locator("#field-seconds").fill("5"),
    },
    {
      search: "approval",
      id: "approval",
      expected: { title: "Go?", approvers: { tags: [], users: ["grace@example.com"] } },
      async fill(page) {
        await field(page, "Question").fill("Go?");
        await page
          .getByRole("combobox", { name: "Approvers", exact: true })
          .fill("grace@example.com");
        await page.keyboard.press("Enter");
      },
    },
    {
      search: "runs another workflow",
      id: "other",
      expected: { workflow_id: "the-other" },
      fill: (page) => page.getByRole("combobox", { name: "Workflow" }).selectOption("the-other"),
    },
    {
      search: "respond",
      id: "respond",
      expected: { respond_status: 201 },
      fill: (page) => page.locator("#field-respond_status").fill("201"),
    },
    {
      search: "ends the run",
      id: "fail",
      expected: { message: "No {{.Event.Type}}" },
      fill: (page) => field(page, "Error").fill("No {{.Event.Type}}"),
    },
    {
      search: "echo",
      id: "echo",
      expected: { params: { text: "hello", times: 2 } },
      async fill(page) {
        await field(page, "Text").fill("hello");
        await page.locator("#field-times").fill("2");
      },
    },
  ];

  const triggers: typeof nodes = [
    {
      search: "by hand",
      id: "manual",
      expected: { input: [{ name: "OrderID", type: "text", tag: "required" }] },
      async fill(page) {
        await button(page, "Add row").click();
        await page.locator("[data-inspector] table input").first().fill("OrderID");
        await page.locator("[data-inspector] table input").last().fill("required");
      },
    },
    {
      search: "cron",
      id: "cron",
      expected: { schedule: "0 30 6 * * *", timezone: "UTC" },
      async fill(page) {
        await field(page, "Schedule").fill("0 30 6 * * *");
        await field(page, "Time zone").fill("UTC");
        await page.locator("[data-inspector]").getByText("06:30, UTC. The next times:").waitFor();
        expect(await page.locator("[data-inspector] time").count()).toBe(5);
      },
    },
    {
      search: "webhook",
      id: "webhook",
      expected: { path: "in", method: ["POST", "PUT"] },
      async fill(page) {
        await field(page, "Path").fill("in");
        await page.getByRole("checkbox", { name: "PUT" }).check();
      },
    },
    {
      search: "schedule_at",
      id: "schedule_at",
      expected: { type: "schedule_at" },
      fill: (page) => page.locator("[data-inspector]").getByText("planned runs").waitFor(),
    },
    {
      search: "failed run",
      id: "error",
      expected: { source_workflow: "the-other", severity: "critical" },
      async fill(page) {
        await page.getByRole("combobox", { name: "Workflow" }).selectOption("the-other");
        await page.getByRole("checkbox", { name: "Critical" }).check();
      },
    },
  ];

  nightlyTest(
    "Each type of trigger and node is found in the palette, placed and filled in",
    async () => {
      await api("POST /manager/api/workflows", { name: "The other", id: "the-other" });
      const id = await create({
        triggers: [{ id: "hand", type: "manual", entry: "first" }],
        nodes: [{ id: "first", type: "set", value: 1 }],
      });
      await using visitor = await app.open(`/workflows/${id}/edit?node=first`);
      const { page } = visitor;
      for (const { search, id: made, fill } of [...nodes, ...triggers]) {
        await page.keyboard.press("Escape");
        await button(page, "Add").click();
        await pick(page, search);
        await page.locator(`[data-item^="${made}"][data-selected]`).waitFor();
        await fill(page);
      }
      await waitUntilSaved(page);
      const { body } = await read(id);
      for (const { id: made, expected } of nodes) {
        expect(body.nodes.find((node) => node.id === made)).toMatchObject(expected);
      }
      for (const { id: made, expected } of triggers) {
        expect(body.triggers.find((trigger) => trigger.id === made)).toMatchObject(expected);
      }
      expect(body.nodes.find((node) => node.id === "echo")?.tool_id).toBe(`conn:${row}/echo`);
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "The canvas Run button lights the nodes up, and a failed one opens at its failed step with its rendered fields",
    async () => {
      const id = await create({
        triggers: [{ id: "hand", type: "manual", entry: "check" }],
        nodes: [
          {
            id: "check",
            type: "branch",
            conditions: [{ left: "{{.Event.Payload.n}}", op: "gt", right: 5 }],
          },
          { id: "big", type: "set", value: "{{.Event.Payload.n}}" },
          { id: "small", type: "fail", message: "{{.Event.Payload.n}} is too small" },
        ],
        edges: [
          { from: "check", to: "big", case: "true" },
          { from: "check", to: "small", case: "false" },
        ],
      });
      await using visitor = await app.open(`/workflows/${id}/edit`);
      const { page } = visitor;
      const run = async (payload: string) => {
        await button(page, /^Run$/).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("Payload").fill(payload);
        await dialog.getByRole("button", { name: "Run" }).click();
      };
      await run('{"n": 7}');
      await page.locator('[data-item="big"][data-state="succeeded"]').waitFor();
      await item(page, "big").click();
      await page.getByRole("group", { name: "Output" }).getByText("7").waitFor();
      await run('{"n": 3}');
      await page.locator('[data-item="small"][data-state="failed"]').waitFor();
      await page.getByRole("link", { name: "Open the run" }).click();
      await page.getByRole("complementary", { name: "Inspector: Fail" }).waitFor();
      await page
        .getByRole("group", { name: "Rendered fields" })
        .getByText("3 is too small")
        .waitFor();
      await page.locator("[data-read-only]").waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "An expression completes from what earlier nodes gave last, and shows its value below",
    async () => {
      const id = await create({
        triggers: [{ id: "hand", type: "manual", entry: "sum" }],
        nodes: [
          { id: "sum", type: "set", value: { total: "{{.Event.Payload.n}}" } },
          { id: "next", type: "set", value: "{{.Event.Type}}" },
        ],
        edges: [{ from: "sum", to: "next" }],
      });
      const started = { draft: true, wait_s: 20, payload: { n: 42 } };
      await api(`POST /manager/api/workflows/${id}/runs`, started);
      await using visitor = await app.open(`/workflows/${id}/edit?node=next`);
      const { page } = visitor;
      await visitor.untilIdle();
      await field(page, "Value").fill("");
      await field(page, "Value").pressSequentially("{{.No");
      await page.getByRole("option", { name: "Node" }).waitFor();
      await page.keyboard.press("Enter");
      await page.keyboard.type(".");
      await page.getByRole("option", { name: "sum { total }" }).waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.type(".");
      await page.getByRole("option", { name: "total 42" }).click();
      await page.locator("[data-inspector]").getByText("= 42").waitFor();
      expect(await field(page, "Value").inputValue()).toBe("{{.Node.sum.total}}");
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "The second of two people on a draft is told what changed, and keeps what was drawn",
    async () => {
      const id = await create({ nodes: [{ id: "first", type: "set", value: 1 }] });
      await using visitor = await app.open(`/workflows/${id}/edit?node=first`);
      const { page } = visitor;
      await using second = await app.open(`/workflows/${id}/edit?node=first`, { as: other });
      await field(second.page, "Name").fill("Theirs");
      await waitUntilSaved(second.page);
      await field(page, "Name").fill("Mine");
      await page.keyboard.press("Control+s");
      const dialog = page.getByRole("dialog");
      await dialog.getByText("grace@example.com has saved the draft").waitFor();
      await dialog.getByRole("button", { name: "Take theirs" }).click();
      await page.getByRole("button", { name: /^Theirs/ }).waitFor();
      await button(page, /^Undo$/).click();
      await page.getByRole("button", { name: /^Mine/ }).waitFor();
      await waitUntilSaved(page);
      expect((await read(id)).body.nodes[0]?.label).toBe("Mine");
    },
  );

  test("Who is offered a workflow reads its draft on a canvas that changes nothing", async () => {
    const id = await create({ nodes: [{ id: "first", type: "set", value: { deep: 1 } }] });
    const ann = await app.addUser("ann@example.com");
    await api(`POST /manager/api/workflows/${id}/offer`, { owner: ann.email });
    await using visitor = await app.open(`/workflows/${id}/edit`, { as: ann });
    const { page } = visitor;
    await item(page, "first").click();
    await page.getByRole("group", { name: "Fields" }).getByText("deep").waitFor();
    expect(await page.locator("[data-read-only]").count()).toBe(1);
    expect(await page.getByRole("button", { name: "Publish" }).count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest("A draft is saved two seconds after the last change", async () => {
    const id = await create({ nodes: [{ id: "first", type: "set", value: 1 }] });
    await using visitor = await app.open(`/workflows/${id}/edit?node=first`, { hasClock: true });
    const { page } = visitor;
    await field(page, "Name").fill("Named");
    await page.getByRole("status").getByText("Changed").waitFor();
    await page.clock.fastForward(2_000);
    await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
    await waitFor(async () => (await read(id)).body.nodes[0]?.label === "Named");
  });

  test("The pages of the canvas fit and are accessible in each look", async () => {
    const id = await create({
      triggers: [{ id: "hand", type: "manual", entry: "check" }],
      nodes: [
        { id: "check", type: "branch", conditions: [{ left: 1, op: "eq", right: 1 }] },
        { id: "echo", type: "operation", tool_id: `conn:${row}/echo`, params: { text: "a" } },
      ],
      edges: [{ from: "check", to: "echo", case: "true" }],
    });
    const started = { draft: true, wait_s: 20 };
    const { run_id } = await api(`POST /manager/api/workflows/${id}/runs`, started);
    await using visitor = await app.open("/");
    await checkPages(visitor, [
      `/workflows/${id}/edit?node=check`,
      `/workflows/${id}/edit?node=echo`,
      `/workflows/${id}/runs/${run_id}?node=check`,
    ]);
  });
});
