/**
 * Parts of the canvas in a real browser: what the specification names, comments, nodes that are dropped on
 * connections, the picture of a difference, and touch.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import { checkAccessibility, checkDarkPhone, visit } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";
import { listFilledButtons } from "./support/page-cost.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");

type Comment = { text: string; position: number[]; size: number[] };
type Body = {
  triggers: Array<Record<string, unknown>>;
  nodes: Array<Record<string, unknown>>;
  edges: unknown[];
  layout: Record<string, number[]>;
  comments?: Comment[];
};
type Detail = { id: string; version: number; body: Body; draft: { revision: number } };

const row = {
  triggers: [{ id: "hand", type: "manual", entry: "first" }],
  nodes: [
    { id: "first", type: "set", value: 1 },
    { id: "second", type: "set", value: 2 },
    { id: "loose", type: "set", value: 3 },
  ],
  edges: [{ from: "first", to: "second" }],
  layout: { hand: [0, 0], first: [320, 0], second: [912, 0], loose: [320, 240] },
};

describeApp({ title: "Parts of the canvas", toHubOptions: async () => ({ main }) }, (app) => {
  let token: string;
  let book: string;

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    const values = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R" };
    const given = { connector: "form", label: "Shared", values, tags: ["everyone"] };
    book = `conn:${(await api<{ id: string }>("POST /manager/api/rows", given)).id}/book`;
  });

  const api = <T = Record<string, unknown>>(route: string, body?: unknown) =>
    callApi<T>(app.base, token, route, body);
  const create = async (body: object = row) =>
    (await api<{ id: string }>("POST /manager/api/workflows", { name: "Parts", body })).id;
  const read = (id: string) => api<Detail>(`GET /manager/api/workflows/${id}`);
  const save = async (id: string, body: object) => {
    const { revision } = (await read(id)).draft;
    await api(`PUT /manager/api/workflows/${id}/draft`, { revision, body });
  };
  const publish = async (id: string) => {
    const { revision } = (await read(id)).draft;
    return await api<{ problems: Array<{ severity: string; message: string }> }>(
      `POST /manager/api/workflows/${id}/publish`,
      { revision },
    );
  };
  const item = (page: Page, id: string) => page.locator(`[data-item="${id}"]`);
  const readSaved = async (page: Page, id: string) => {
    await page.keyboard.press("Control+s");
    await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
    return (await read(id)).body;
  };
  const centreOf = async (page: Page, id: string) => {
    const box = await item(page, id).boundingBox();
    if (box === null) throw new Error(`${id} is not visible.`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  /** A point on the connection of two items that are on one line. */
  const between = async (page: Page, one: string, other: string) => {
    const [from, to] = [await centreOf(page, one), await centreOf(page, other)];
    return { x: (from.x + to.x) / 2, y: from.y };
  };

  test("The canvas Run button runs the draft by a manual trigger", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit`);
    const { page } = visitor;
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
    await page.locator('[data-item="second"][data-state="succeeded"]').waitFor();
    // One list below the graph takes the place of another.
    const outline = page.getByRole("region", { name: "Outline", exact: true });
    await page.getByRole("list", { name: "Steps" }).waitFor();
    await page.getByRole("button", { name: "Outline", exact: true }).click();
    await outline.getByRole("button", { name: /^Started by hand/ }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest(
    "Adding lies over the graph and moves nothing, and operations are found by connector with the keyboard",
    async () => {
      const id = await create();
      await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1440 });
      const { page } = visitor;
      const palette = page.getByRole("region", { name: "Add", exact: true });
      const ids = ["hand", "first", "second", "loose"];
      const listBoxes = () => Promise.all(ids.map((one) => item(page, one).boundingBox()));
      const readArea = () => page.getByRole("region", { name: "Workflow graph" }).boundingBox();
      await item(page, "loose").click();
      await page.locator("[data-inspector]").waitFor();
      await visitor.untilIdle();
      const [before, area] = [await listBoxes(), await readArea()];
      await page.keyboard.press("n");
      await palette.locator("input:focus").waitFor();
      expect(await readArea()).toEqual(area);
      await palette.getByRole("button", { name: /^Form/ }).focus();
      await page.keyboard.press("ArrowRight");
      await palette.getByRole("button", { name: /^Shared/ }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowRight");
      await palette.getByRole("button", { name: /wipe.*Destructive/ }).waitFor();
      await checkAccessibility(visitor);
      await page.keyboard.press("ArrowLeft");
      await palette.getByText("Rows of Form").waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await palette.getByRole("button", { name: /^book/ }).waitFor();
      await palette.getByRole("textbox").fill("book");
      await palette.getByRole("button", { name: /^wipe/ }).waitFor({ state: "detached" });
      await page.keyboard.press("Enter");
      await page.locator('[data-item="book"]:focus').waitFor();
      await item(page, "book").getByText("Shared · book").waitFor();
      expect(await listBoxes()).toEqual(before);
      // A node between two others moves none of them either.
      await item(page, "hand").click();
      await page.keyboard.press("n");
      await palette.getByRole("textbox").fill("wait");
      await palette.locator("button[draggable]").first().click();
      await page.locator('[data-item="wait"]:focus').waitFor();
      expect(await listBoxes()).toEqual(before);
      const { edges, triggers } = await readSaved(page, id);
      expect(triggers[0]?.entry).toBe("wait");
      expect(edges).toContainEqual({ from: "loose", to: "book" });
      await page.keyboard.press("n");
      await palette.waitFor();
      await page.keyboard.press("Escape");
      await page.locator('[data-item="wait"]:focus').waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "Seven nodes that are added by plus and by lines are readable at 100 % within 1,000 pixels",
    async () => {
      const id = await create({});
      await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1440 });
      const { page } = visitor;
      const palette = page.getByRole("region", { name: "Add", exact: true });
      const pick = async (text: string, made: string) => {
        await palette.getByRole("textbox").fill(text);
        await palette.locator("button[draggable]").first().click();
        await page.locator(`[data-item="${made}"][data-selected]`).waitFor();
        await visitor.untilIdle();
      };
      await page.getByRole("button", { name: "Add a trigger" }).click();
      await pick("webhook", "webhook");
      await page.getByRole("button", { name: "Close the inspector" }).click();
      await page.getByRole("button", { name: "Add after Webhook" }).click();
      await pick("code", "code");
      await page.getByRole("button", { name: "Add after Code" }).click();
      await pick("echo", "echo");
      // A line that ends on the ground asks for a node there.
      await page.getByRole("button", { name: "Close the inspector" }).click();
      await visitor.untilIdle();
      const end = await page
        .locator('.react-flow__node[data-id="code"] .react-flow__handle.source')
        .boundingBox();
      const echo = await centreOf(page, "echo");
      await page.mouse.move((end?.x ?? 0) + 5, (end?.y ?? 0) + 5);
      await page.mouse.down();
      await page.mouse.move(echo.x - 90, echo.y + 104, { steps: 6 });
      await page.mouse.up();
      await pick("book", "book");
      await page.getByRole("button", { name: "Add after echo" }).click();
      await pick("approval", "approval");
      await page.getByRole("button", { name: "Add after Approval, approved" }).click();
      await pick("set", "set");
      await page.getByRole("button", { name: "Add after Set" }).click();
      await pick("respond", "respond");
      const ids = ["webhook", "code", "echo", "book", "approval", "set", "respond"];
      await page.getByText("100%").waitFor();
      const boxes = await Promise.all(ids.map((one) => item(page, one).boundingBox()));
      const shown = boxes.filter((box) => box !== null);
      expect(shown.map(({ width, height }) => [width, height])).toEqual(ids.map(() => [180, 64]));
      const left = Math.min(...shown.map(({ x }) => x));
      expect(Math.max(...shown.map(({ x, width }) => x + width)) - left).toBeLessThanOrEqual(1000);
      const { layout } = await readSaved(page, id);
      expect(layout.echo?.[0]).toBe((layout.code?.[0] ?? 0) + 220);
      expect(layout.book?.[0]).toBe(layout.echo?.[0]);
      await checkAccessibility(visitor);
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "Enter goes to the first field, D switches a step off, and steps with cases say why not",
    async () => {
      const check = { id: "check", type: "branch", conditions: [{ left: 1, op: "eq", right: 1 }] };
      const id = await create({ ...row, nodes: [...row.nodes, check] });
      await using visitor = await app.open(`/workflows/${id}/edit`);
      const { page } = visitor;
      await item(page, "first").click();
      await page.keyboard.press("Enter");
      await page.locator("[data-inspector] [data-field] textarea:focus").waitFor();
      await page.keyboard.press("Escape");
      await page.locator('[data-item="first"]:focus').waitFor();
      await page.keyboard.press("d");
      await item(page, "first").getByText("Switched off").waitFor();
      expect((await readSaved(page, id)).nodes[0]?.disabled).toBe(true);
      await page.keyboard.press("d");
      await page.locator('[data-item="first"][data-disabled]').waitFor({ state: "detached" });
      await item(page, "check").click();
      await page.keyboard.press("d");
      await page.getByText("cannot be switched off").waitFor();
      expect((await readSaved(page, id)).nodes.every((node) => !("disabled" in node))).toBe(true);
      // Tab is the browser's: the graph is no trap.
      await page.keyboard.press("Tab");
      expect(await page.getByRole("region", { name: "Add", exact: true }).count()).toBe(0);
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "An empty graph has one filled button, and steps keep their names from afar",
    async () => {
      const empty = await create({ triggers: [], nodes: [], edges: [] });
      await using visitor = await app.open(`/workflows/${empty}/edit`);
      const { page } = visitor;
      await page.getByRole("button", { name: "Add a trigger" }).waitFor();
      expect(await listFilledButtons(page)).toEqual(["Add a trigger"]);
      await visit(visitor, `/workflows/${await create()}/edit`);
      await page.locator("[data-item=second]").waitFor();
      while ((await page.locator("[data-far]").count()) === 0) {
        await page.getByRole("button", { name: "Zoom out" }).click();
      }
      expect(await page.getByRole("button", { name: /^Set \d/ }).count()).toBe(3);
      await checkAccessibility(visitor);
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "A trigger's Respond field in the canvas inspector has the respond-node option, and publishing warns without such a node",
    async () => {
      const id = await create({
        triggers: [{ id: "hook", type: "webhook", entry: "first" }],
        nodes: [{ id: "first", type: "set", value: 1 }],
      });
      await using visitor = await app.open(`/workflows/${id}/edit?node=hook`);
      const { page } = visitor;
      await page.getByLabel("Respond").selectOption({ label: "With a respond node" });
      const { triggers } = await readSaved(page, id);
      expect(triggers[0]).toMatchObject({ respond_mode: "respond_node" });
      // A warning of a field does not look like an error.
      await page.locator("[data-inspector] [data-warned]").getByText("webhook_respond").waitFor();
      const { problems } = await publish(id);
      expect(problems.map(({ severity }) => severity)).toEqual(["warning"]);
      expect(problems[0]?.message).toContain("webhook_respond");
    },
  );

  test("The Fixed and Expression toggle changes a field's widget, and is locked for fields with a mode", async () => {
    const nodes = [{ id: "call", type: "operation", tool_id: book, params: {} }];
    const id = await create({ nodes: [...nodes, { id: "set", type: "set", value: 1 }] });
    await using visitor = await app.open(`/workflows/${id}/edit?node=call`);
    const { page } = visitor;
    const toggle = (name: string, mode: string) =>
      page
        .getByRole("group", { name: `${name}: fixed or expression` })
        .getByRole("button", { name: mode });
    await toggle("Nights", "Expression").and(page.locator("[aria-pressed=true]")).waitFor();
    await toggle("Town", "Fixed").and(page.locator("[aria-pressed=true]")).waitFor();
    expect(await toggle("Nights", "Fixed").isDisabled()).toBe(true);
    expect(await toggle("Town", "Expression").isDisabled()).toBe(true);
    await item(page, "set").click();
    const value = page.locator("[data-inspector]").getByRole("textbox", { name: "Value" });
    await toggle("Value", "Expression").click();
    await value.fill("{{.Event.Type}}");
    expect((await readSaved(page, id)).nodes[1]?.value).toBe("{{.Event.Type}}");
    await toggle("Value", "Fixed").click();
    expect(await value.inputValue()).toBe("");
    expect(visitor.faults).toEqual([]);
  });

  test("Invalid JSON stays in its field, marks its node, and stops Publish until it is corrected", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit?node=first`);
    const { page } = visitor;
    const value = page.locator("[data-inspector]").getByRole("textbox", { name: "Value" });
    await value.fill('{"a": ');
    await page.keyboard.press("Escape");
    await item(page, "second").click();
    await item(page, "first").getByText("Has an error").waitFor();
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("button", { name: /This is not valid JSON/ }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.locator('[data-item="first"]:focus').waitFor();
    expect(await value.inputValue()).toBe('{"a": ');
    await value.fill('{"a": 5}');
    expect((await readSaved(page, id)).nodes[0]?.value).toEqual({ a: 5 });
    expect(await page.getByRole("button", { name: /This is not valid JSON/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("dialog").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest(
    "Leaving the page by a link or by Back asks first while a field has invalid JSON",
    async () => {
      const id = await create();
      await using visitor = await app.open(`/workflows/${id}`);
      const { page } = visitor;
      await page.getByRole("link", { name: "Edit" }).first().click();
      await item(page, "first").click();
      const value = page.locator("[data-inspector]").getByRole("textbox", { name: "Value" });
      const question = page.getByRole("dialog", { name: "Leave without saving?" });
      await value.fill('{"a": ');
      // Another selection is the same page.
      await item(page, "loose").click();
      await item(page, "first").click();
      await page.getByRole("link", { name: "Parts", exact: true }).click();
      await question.getByText("first: This is not valid JSON").waitFor();
      await question.getByRole("button", { name: "Cancel" }).click();
      expect(await value.inputValue()).toBe('{"a": ');
      await page.goBack();
      await question.getByRole("button", { name: "Cancel" }).click();
      await value.fill('{"a": 5}');
      await page.getByRole("link", { name: "Parts", exact: true }).click();
      await page.waitForURL(/workflows\/[^/]+$/);
      // Saved while the page is left.
      await waitFor(async () => Bun.deepEquals((await read(id)).body.nodes[0]?.value, { a: 5 }));
      await page.getByRole("link", { name: "Edit" }).first().click();
      await item(page, "first").click();
      await value.fill('{"a": ');
      await page.getByRole("link", { name: "Parts", exact: true }).click();
      await question.getByRole("button", { name: "Leave" }).click();
      await page.waitForURL(/workflows\/[^/]+$/);
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "Leaving the page asks first while a payload that is typed for a run is invalid JSON",
    async () => {
      const id = await create();
      await using visitor = await app.open(`/workflows/${id}`);
      const { page } = visitor;
      const question = page.getByRole("dialog", { name: "Leave without saving?" });
      await page.getByRole("link", { name: "Edit" }).first().click();
      await page.getByRole("button", { name: "Run", exact: true }).click();
      const payload = page.getByRole("dialog", { name: "Run the draft" }).getByLabel("Payload");
      await payload.fill('{"n": ');
      await page.goBack();
      await question.getByRole("button", { name: "Cancel" }).click();
      expect(await payload.inputValue()).toBe('{"n": ');
      await page.goBack();
      await question.getByRole("button", { name: "Leave" }).click();
      await page.waitForURL(/workflows\/[^/]+$/);
      expect(visitor.faults).toEqual([]);
    },
  );

  test("The preview of an expression that gives nothing says what is missing", async () => {
    const id = await create();
    await api(`POST /manager/api/workflows/${id}/runs`, { draft: true, wait_s: 20 });
    await using visitor = await app.open(`/workflows/${id}/edit?node=second`);
    const { page } = visitor;
    const inspector = page.locator("[data-inspector]");
    await inspector.getByRole("textbox", { name: "Value" }).fill("{{.Event.Payload.total}}");
    await inspector.getByText(".Event.Payload.total is missing").waitFor();
    expect(await inspector.getByText("= null").count()).toBe(0);
  });

  nightlyTest(
    "Code is written by keyboard with numbered lines, Escape then Tab leaves it, and it runs",
    async () => {
      const id = await create({
        triggers: [{ id: "hand", type: "manual", entry: "sum" }],
        nodes: [
          { id: "sum", type: "set", value: { total: 42 } },
          { id: "twice", type: "code", source: "" },
        ],
        edges: [{ from: "sum", to: "twice" }],
      });
      await using visitor = await app.open(`/workflows/${id}/edit?node=twice`);
      const { page } = visitor;
      const code = page.getByRole("textbox", { name: "JavaScript" });
      await code.focus();
      await page.keyboard.type("if (node.sum) {");
      await page.keyboard.press("Enter");
      await page.keyboard.type("return 2;");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.type("}");
      const source = "if (node.sum) {\n  return 2;\n}";
      expect(await code.inputValue()).toBe(source);
      await page.keyboard.press("Escape");
      await page.getByText("Tab leaves the code.").waitFor();
      await page.keyboard.press("Tab");
      expect(await code.and(page.locator(":focus")).count()).toBe(0);
      expect(await code.inputValue()).toBe(source);
      expect((await readSaved(page, id)).nodes[1]?.source).toBe(source);
      await checkAccessibility(visitor);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
      await page.locator('[data-item="twice"][data-state="succeeded"]').waitFor();
      await page.getByRole("group", { name: "Output" }).getByText("2", { exact: true }).waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "A dry run sends nothing, shows what it would call and what it does not know, and one node runs alone with pinned outputs",
    async () => {
      const id = await create({
        triggers: [{ id: "hand", type: "manual", entry: "sum" }],
        nodes: [
          { id: "sum", type: "set", value: { total: "{{.Event.Payload.n}}" } },
          {
            id: "pay",
            type: "http",
            method: "POST",
            url: "https://pay.example/",
            body: { amount: "{{.Node.sum.total}}" },
          },
          { id: "after", type: "set", value: "{{.Node.pay.status}}" },
        ],
        edges: [
          { from: "sum", to: "pay" },
          { from: "pay", to: "after" },
        ],
      });
      await using visitor = await app.open(`/workflows/${id}/edit`);
      const { page } = visitor;
      await page.getByRole("button", { name: "Run", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Payload").fill('{"n": 42}');
      await dialog.getByRole("switch", { name: "Dry run: nothing is sent" }).check();
      await dialog.getByText("No output is pinned.").waitFor();
      await checkDarkPhone(visitor);
      await dialog.getByRole("button", { name: "Run", exact: true }).click();
      const bar = page.getByRole("region", { name: "Run", exact: true });
      await bar.getByText("Unknown", { exact: true }).waitFor();
      await bar.getByText("Dry run").waitFor();
      await item(page, "pay").getByText("would call").waitFor();
      await page.locator(".react-flow__edgelabel-renderer").getByText("not known").waitFor();
      await item(page, "pay").click();
      const inspector = page.locator("[data-inspector]");
      await inspector.getByText("Would call: nothing was sent.").waitFor();
      await inspector.getByRole("group", { name: "Rendered fields" }).getByText("42").waitFor();
      await checkDarkPhone(visitor);
      await item(page, "sum").click();
      await inspector.getByRole("button", { name: "Use this output in tests" }).click();
      await inspector.getByRole("button", { name: "Remove the pinned output" }).waitFor();
      await item(page, "pay").click();
      await inspector.getByRole("tab", { name: "Try it" }).click();
      await inspector
        .getByLabel("Outputs of the run")
        .selectOption({ label: "None: only the pinned ones" });
      await inspector.getByRole("group", { name: "Pinned outputs" }).getByText("sum").waitFor();
      await inspector.getByRole("button", { name: "Run this node alone" }).click();
      const result = inspector.getByRole("region", { name: "Result" });
      await result.getByText("Would call: nothing was sent.").waitFor();
      await result.getByRole("group", { name: "Rendered fields" }).getByText("42").waitFor();
      await checkDarkPhone(visitor);
      await inspector.getByRole("button", { name: "Remove the pin of sum" }).click();
      await inspector.getByText("No output is pinned.").waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "A channel trigger and a channel node are filled in by the fields that the channel has",
    async () => {
      // It has no token, so that it connects to nothing.
      await api("POST /manager/api/rows", {
        connector: "telegram",
        label: "Bot",
        tags: ["everyone"],
      });
      const id = await create({
        triggers: [{ id: "said", type: "channel", entry: "answer", channel: "bot", event: "" }],
        nodes: [{ id: "answer", type: "channel", channel: "", op: "", args: {} }],
      });
      await using visitor = await app.open(`/workflows/${id}/edit?node=said`);
      const { page } = visitor;
      const inspector = page.locator("[data-inspector]");
      // Until the channel is read, they are texts.
      await inspector.getByRole("combobox", { name: "Event" }).selectOption("message");
      await inspector.getByText("This channel is not set up yet.").waitFor();
      await inspector.getByLabel("Text contains").fill("deploy");
      await item(page, "answer").click();
      await inspector
        .getByRole("combobox", { name: "Channel" })
        .selectOption({ label: "Bot (bot): needs setup" });
      await inspector.getByRole("combobox", { name: "Action" }).selectOption("send_message");
      await inspector.getByRole("textbox", { name: /^Text/ }).fill("Done: {{.Event.Payload.text}}");
      const { triggers, nodes } = await readSaved(page, id);
      expect(triggers[0]).toMatchObject({ event: "message", match: { text_contains: "deploy" } });
      expect(nodes[0]).toMatchObject({
        channel: "bot",
        op: "send_message",
        args: { text: "Done: {{.Event.Payload.text}}" },
      });
      await checkAccessibility(visitor);
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "A comment is written, moved, resized, copied, removed and brought back, by keyboard and by mouse",
    async () => {
      const id = await create();
      await using visitor = await app.open(`/workflows/${id}/edit`, {
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const { page } = visitor;
      await item(page, "hand").focus();
      await page.keyboard.press("c");
      await page.getByLabel("Text").and(page.locator(":focus")).waitFor();
      await page.keyboard.type("Ask Ann");
      await page.keyboard.press("Escape");
      const comment = page.locator('[data-item^="comment:"]');
      await comment.and(page.locator(":focus")).waitFor();
      const [before] = (await readSaved(page, id)).comments ?? [];
      await page.keyboard.press("Shift+ArrowRight");
      await page.keyboard.press("Control+c");
      await page.keyboard.press("Control+v");
      await comment.nth(1).waitFor();
      await page.keyboard.press("Delete");
      await comment.nth(1).waitFor({ state: "detached" });
      await page.keyboard.press("Control+z");
      const { comments: two = [] } = await readSaved(page, id);
      expect(two.map(({ text }) => text)).toEqual(["Ask Ann", "Ask Ann"]);
      expect(two[0]?.position[0]).toBe((before?.position[0] ?? 0) + 20);
      await comment.first().click({ position: { x: 8, y: 8 } });
      // Its corner, which the map covered, is moved into view.
      await visitor.untilIdle();
      const box = await comment.first().boundingBox();
      if (box === null) throw new Error("The comment is not visible.");
      await page.mouse.move(box.x + box.width - 4, box.y + box.height - 4);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width + 60, box.y + box.height + 60);
      await page.mouse.up();
      const { comments: [resized] = [] } = await readSaved(page, id);
      expect(resized?.size[0]).toBeGreaterThan(before?.size[0] ?? 0);
      await checkAccessibility(visitor);
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "A node of the palette and a free node that are dropped on a connection are put between its ends",
    async () => {
      const id = await create();
      await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1600 });
      const { page } = visitor;
      const target = await between(page, "first", "second");
      const loose = await centreOf(page, "loose");
      await page.mouse.move(loose.x, loose.y);
      await page.mouse.down();
      await page.mouse.move(loose.x + 20, loose.y - 20);
      await page.mouse.move(target.x, target.y, { steps: 4 });
      await page.locator(".react-flow__edge[data-drop]").waitFor({ state: "attached" });
      await page.mouse.up();
      const spliced = await readSaved(page, id);
      expect(spliced.edges).toEqual([
        { from: "first", to: "loose" },
        { from: "loose", to: "second" },
      ]);
      await page.keyboard.press("Control+z");
      await page.getByLabel("Put on a connection").selectOption({ label: "Set → Set" });
      expect((await readSaved(page, id)).edges).toEqual(spliced.edges);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByLabel("Search what to add").fill("wait");
      const entry = page.locator("button[draggable]").first();
      await entry.waitFor();
      const ground = page.getByRole("region", { name: "Workflow graph" });
      const area = await ground.boundingBox();
      const start = await between(page, "hand", "first");
      await entry.dragTo(ground, {
        targetPosition: { x: start.x - (area?.x ?? 0), y: start.y - (area?.y ?? 0) },
      });
      const { triggers, edges } = await readSaved(page, id);
      expect(triggers[0]?.entry).toBe("wait");
      expect(edges).toContainEqual({ from: "wait", to: "first" });
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "Before publishing, what differs is a picture with the text beside it, and a run is drawn on the body that it ran",
    async () => {
      const id = await create();
      await publish(id);
      const started = { draft: true, wait_s: 20 };
      const { run_id } = await api(`POST /manager/api/workflows/${id}/runs`, started);
      const nodes = [
        row.nodes[0],
        { id: "second", type: "set", value: 5 },
        { id: "new", type: "wait", seconds: 1 },
      ];
      await save(id, { ...row, nodes, edges: [...row.edges, { from: "second", to: "new" }] });
      await using visitor = await app.open(`/workflows/${id}/edit`);
      const { page } = visitor;
      await page.getByRole("button", { name: "Publish", exact: true }).click();
      const picture = page.getByRole("region", { name: "Picture of the difference" });
      const changeOf = (node: string) =>
        picture.locator(`[data-item="${node}"]`).getAttribute("data-change");
      await picture.locator('[data-item="new"]').waitFor();
      expect(await Promise.all(["new", "second", "loose", "first"].map(changeOf))).toEqual([
        ...["added", "changed", "removed"],
        null,
      ]);
      await page.getByText('The node "loose" is removed.').waitFor();
      await picture.locator('[data-item="second"]').focus();
      await picture.locator('[data-item="second"]').click();
      await page.getByText("Set: value changes from 2 to 5.").waitFor();
      await checkAccessibility(visitor);
      await page.goto(`${visitor.base}/workflows/${id}/runs/${run_id}`);
      await item(page, "loose").waitFor();
      expect(await item(page, "new").count()).toBe(0);
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "While the pointer moves the graph, its items are not searched for, and they take clicks afterwards",
    async () => {
      const id = await create();
      await using visitor = await app.open(`/workflows/${id}/edit`);
      const { page } = visitor;
      await visitor.untilIdle();
      const start = await centreOf(page, "loose");
      const panning = page.locator("[data-panning]");
      await page.mouse.move(start.x, start.y + 120);
      await page.mouse.down();
      await page.mouse.move(start.x, start.y + 60);
      await page.mouse.move(start.x, start.y, { steps: 4 });
      await panning.waitFor();
      const moved = await centreOf(page, "loose");
      expect(moved.y).toBeLessThan(start.y);
      const below = `document.elementFromPoint(${moved.x}, ${moved.y}).closest("[data-item]")`;
      expect(await page.evaluate<boolean>(`${below} === null`)).toBe(true);
      await page.mouse.up();
      await panning.waitFor({ state: "detached" });
      await item(page, "loose").click();
      await page.locator("[data-inspector]").waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "While the wheel turns, items are not searched for, and the next move of the pointer finds them",
    async () => {
      const id = await create();
      await using visitor = await app.open(`/workflows/${id}/edit`);
      const { page } = visitor;
      await visitor.untilIdle();
      const start = await centreOf(page, "loose");
      await page.mouse.move(start.x, start.y);
      await page.mouse.wheel(0, 20);
      await page.locator("[data-zooming]").waitFor();
      const below = `document.elementFromPoint(${start.x}, ${start.y}).closest("[data-item]")`;
      expect(await page.evaluate<boolean>(`${below} === null`)).toBe(true);
      await page.mouse.move(start.x + 2, start.y);
      expect(await page.evaluate<boolean>(`${below}.dataset.item === "loose"`)).toBe(true);
      await item(page, "loose").click();
      await page.locator("[data-inspector]").waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );

  test("The connections of a dragged item follow it on a canvas, and are at its new place afterwards", async () => {
    const id = await create(row);
    await using visitor = await app.open(`/workflows/${id}/edit`);
    const { page } = visitor;
    await visitor.untilIdle();
    const sketch = page.locator("[data-layer] ~ canvas");
    const line = page.locator('.react-flow__edge[aria-label*="second"] .react-flow__edge-path');
    const before = await line.getAttribute("d");
    const start = await centreOf(page, "second");
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x, start.y + 80, { steps: 4 });
    await sketch.waitFor();
    expect(await line.isVisible()).toBe(false);
    await page.waitForFunction(`(() => {
      const canvas = document.querySelector("[data-layer] ~ canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value) => value > 0);
    })()`);
    await page.mouse.up();
    await sketch.waitFor({ state: "hidden" });
    await line.waitFor();
    expect(await line.getAttribute("d")).not.toBe(before);
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest(
    "By touch on a tablet, a node is opened, moved and connected, and the graph is panned and zoomed",
    async () => {
      const id = await create({ ...row, edges: [] });
      await using visitor = await app.open(`/workflows/${id}/edit`, {
        viewport: { width: 1024, height: 768 },
        hasTouch: true,
      });
      const { page } = visitor;
      const session = await page.context().newCDPSession(page);
      type Point = { x: number; y: number };
      /** Moves fingers from where they are to where they go. */
      const touch = async (...fingers: ReadonlyArray<readonly [from: Point, to: Point]>) => {
        const send = (type: "touchStart" | "touchMove" | "touchEnd", part: number) =>
          session.send("Input.dispatchTouchEvent", {
            type,
            touchPoints:
              type === "touchEnd"
                ? []
                : fingers.map(([from, to], at) => ({
                    id: at,
                    x: from.x + (to.x - from.x) * part,
                    y: from.y + (to.y - from.y) * part,
                  })),
          });
        await send("touchStart", 0);
        for (const part of [0.25, 0.5, 0.75, 1]) await send("touchMove", part);
        await send("touchEnd", 1);
      };
      const by = ({ x, y }: Point, right: number, down: number) => ({ x: x + right, y: y + down });
      await item(page, "loose").waitFor();
      const loose = await centreOf(page, "loose");
      await touch([loose, by(loose, 64, 32)]);
      const { layout } = await readSaved(page, id);
      expect(layout.loose?.[0]).toBeGreaterThan(row.layout.loose[0] ?? 0);
      const [end, start] = await Promise.all(
        ["first", "second"].map((node, at) =>
          page
            .locator(`.react-flow__node[data-id="${node}"] .${at === 0 ? "source" : "target"}`)
            .boundingBox(),
        ),
      );
      const middle = (
        box: { x: number; y: number; width: number; height: number } | null | undefined,
      ) => (box == null ? { x: 0, y: 0 } : { x: box.x + box.width / 2, y: box.y + box.height / 2 });
      await touch([middle(end), middle(start)]);
      expect((await readSaved(page, id)).edges).toEqual([{ from: "first", to: "second" }]);
      const ground = { x: 300, y: 600 };
      const before = await centreOf(page, "first");
      await touch([ground, by(ground, 0, -80)]);
      expect((await centreOf(page, "first")).y).toBeLessThan(before.y - 40);
      const zoom = page.getByText(/^\d+%$/);
      const zoomed = await zoom.textContent();
      await touch([ground, by(ground, -60, 0)], [by(ground, 80, 0), by(ground, 180, 0)]);
      expect(Number.parseInt((await zoom.textContent()) ?? "", 10)).toBeGreaterThan(
        Number.parseInt(zoomed ?? "", 10),
      );
      await page.getByRole("button", { name: "Fit to the window" }).tap();
      await item(page, "first").tap();
      await page.getByRole("complementary", { name: "Inspector: Set" }).waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );
});
