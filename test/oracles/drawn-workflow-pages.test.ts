/**
 * A workflow is drawn on the canvas from nothing, by the pointer alone, with values of its own test
 * runs: a signed request is checked, two operations run side by side, a person approves, a chat gets a message, and
 * the sender gets an answer.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startTelegram } from "../support/telegram-emulator/start-telegram.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppVisitor } from "./support/app-pages.ts";
import { createMouse, type Hands } from "./support/drawing-hands.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(300_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");

type Item = Record<string, unknown>;
type Body = { triggers: Item[]; nodes: Item[]; edges: unknown[]; layout: Record<string, unknown> };
type Detail = { body: Body };
type Approval = { id: string };

const [hook, check, book, take, ask, tell, answer] = [
  { id: "webhook", title: "Webhook" },
  { id: "branch", title: "Branch" },
  { id: "echo", title: "Book order" },
  { id: "echo_2", title: "Take stock" },
  { id: "approval", title: "Approval" },
  { id: "channel", title: "Channel message" },
  { id: "respond", title: "Respond to webhook" },
] as const;
const all = [hook, check, book, take, ask, tell, answer];

let telegram: ReturnType<typeof startTelegram>;
const toHubOptions = async (owned: AsyncDisposableStack) => {
  telegram = owned.use(startTelegram());
  return { main };
};

describeApp({ title: "A workflow that is drawn", toHubOptions }, (app) => {
  let token: string;
  let drawer: AppUser;
  let grace: AppUser;
  let orders: string;
  let stock: string;
  let chat: string;

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    const values = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R" };
    const add = async (connector: string, label: string, given: object) =>
      (
        await api<{ id: string }>("POST /manager/api/rows", {
          connector,
          label,
          values: given,
          tags: ["everyone"],
        })
      ).id;
    orders = await add("form", "Orders", values);
    stock = await add("form", "Stock", values);
    const bot = telegram.addBot();
    await add("telegram", "Team chat", { base_url: telegram.url, token: bot.token });
    await telegram.until(() => bot.isPolling);
    chat = String(telegram.privateChat(bot, telegram.addUser()).id);
    drawer = await app.addUser("dora@example.com", { admin: true });
    grace = await app.addUser("grace@example.com");
  });

  const api = <T = Record<string, unknown>>(route: string, body?: unknown) =>
    callApi<T>(app.base, token, route, body);
  const listApprovals = async () =>
    (await api<{ approvals: Approval[] }>("GET /manager/api/approvals")).approvals;

  const order = (name: string) => ({
    order: name,
    sku: `${name}-box`,
    total: 250,
    chat,
  });
  const toExpected = (path: string): Omit<Body, "layout"> => ({
    triggers: [
      {
        id: "webhook",
        type: "webhook",
        entry: "branch",
        method: "POST",
        path,
        respond_mode: "respond_node",
        secret_ref: "SHOP_SECRET",
      },
    ],
    nodes: [
      {
        id: "branch",
        type: "branch",
        conditions: [{ left: "{{.Event.Payload.body.total}}", op: "gt", right: "100" }],
      },
      {
        id: "echo",
        type: "operation",
        label: "Book order",
        tool_id: `conn:${orders}/echo`,
        params: { text: "{{.Event.Payload.body.order}}", times: "{{.Event.Payload.body.total}}" },
      },
      {
        id: "echo_2",
        type: "operation",
        label: "Take stock",
        tool_id: `conn:${stock}/echo`,
        params: { text: "{{.Event.Payload.body.sku}}" },
      },
      {
        id: "approval",
        type: "approval",
        title: "Send the order?",
        approvers: { tags: [], users: ["grace@example.com"] },
        values: [
          { label: "Order", value: "{{.Node.echo.Text}}" },
          { label: "Stock", value: "{{.Node.echo_2.Text}}" },
        ],
      },
      {
        id: "channel",
        type: "channel",
        channel: "team-chat",
        op: "send_message",
        args: { channel_id: "{{.Event.Payload.body.chat}}", text: "{{.Node.echo.Text}}" },
      },
      {
        id: "respond",
        type: "webhook_respond",
        respond_status: 200,
        respond_body: "{{.Node.echo_2.Text}}",
      },
    ],
    edges: [
      { from: "branch", case: "true", to: "echo" },
      { from: "branch", case: "true", to: "echo_2" },
      { from: "echo", to: "approval" },
      { from: "echo_2", to: "approval" },
      { from: "approval", case: "approved", to: "channel" },
      { from: "channel", to: "respond" },
    ],
  });

  /** Draws the workflow, and gives the secret of its webhook. The page shows the dialog of what was published. */
  const draw = async ({ page, untilIdle }: AppVisitor, hands: Hands, path: string) => {
    const dialog = page.getByRole("dialog");
    const body = ["Event", "Payload", "body"];
    const startRun = async () => {
      await hands.use("Run");
      await dialog.getByRole("heading", { name: "Run the draft" }).waitFor();
    };
    await hands.use("Make a workflow");
    await dialog.waitFor();
    await hands.type("Name", "Orders");
    await hands.use("Create");
    await page.getByRole("button", { name: "Add a trigger" }).waitFor();
    await hands.add(null, "webhook", hook.id);
    await hands.type("Path", path);
    await hands.choose("Respond", "With a respond node");
    await hands.type("Signing secret", "SHOP_SECRET");
    await hands.use("Set SHOP_SECRET");
    await dialog.getByRole("button", { name: "Generate" }).waitFor();
    await hands.use("Generate");
    const secret = await dialog.getByRole("textbox", { name: "Value" }).inputValue();
    await hands.use("Save");
    await page.getByRole("button", { name: "Replace SHOP_SECRET" }).waitFor();
    await hands.add(hook, "branch", check.id);
    // A test payload, whose values are then there to be mapped.
    await startRun();
    await hands.type("Payload", JSON.stringify({ body: order("A-1") }));
    await hands.use("Run");
    await page.locator('[data-item="branch"][data-state="succeeded"]').waitFor();
    await untilIdle();
    await hands.go(check);
    await hands.map("Condition 1: value", [...body, "total"]);
    await hands.choose("Condition 1: comparison", "is greater than");
    await hands.type("Condition 1: compared with", "100");
    await hands.add({ ...check, case: "true" }, "echo Orders", book.id);
    await hands.type("Name", book.title);
    await hands.map("Text", [...body, "order"]);
    await hands.map("Times", [...body, "total"]);
    await untilIdle();
    await hands.addBeside({ ...check, case: "true" }, "echo Stock", take);
    await hands.type("Name", take.title);
    await hands.map("Text", [...body, "sku"]);
    await untilIdle();
    await hands.go(book);
    await hands.add(book, "approval", ask.id);
    await hands.type("Question", "Send the order?");
    await hands.pick("Approvers", "grace@example.com");
    await untilIdle();
    await hands.connect(take, ask);
    await startRun();
    await hands.mark("Typed here", "Of a past run");
    await hands.use("Run");
    await page.locator('[data-item="approval"][data-state="waiting"]').waitFor();
    await untilIdle();
    await hands.go(ask);
    for (const [at, { label, from }] of [
      { label: "Order", from: book },
      { label: "Stock", from: take },
    ].entries()) {
      await hands.use("Add a value");
      await hands.type(`Value ${at + 1}: label`, label);
      await hands.map(`Value ${at + 1}: value`, [from.title, "Text"]);
    }
    await hands.add({ ...ask, case: "approved" }, "channel message", tell.id);
    await hands.choose("Channel", "Team chat (team-chat)");
    await page.locator("[data-inspector] [data-field=channel_id]").first().waitFor();
    await hands.map("Channel ID", [...body, "chat"]);
    await hands.map("Text", [book.title, "Text"]);
    await hands.add(tell, "respond", answer.id);
    await hands.map("Body", [take.title, "Text"]);
    await hands.use("Publish");
    await dialog.getByRole("button", { name: "Publish", exact: true }).waitFor();
    await untilIdle();
    await hands.use("Publish");
    await dialog.locator("details[open] pre").waitFor();
    return secret;
  };

  /** Sends a signed request as the page says, approves, and gives the answer and the message of the chat. */
  const send = async (page: Page, secret: string, name: string) => {
    const before = new Set((await listApprovals()).map(({ id }) => id));
    const shown = await page.getByRole("dialog").locator("details[open] pre").innerText();
    const curl = shown.replaceAll('{"hello":"world"}', JSON.stringify(order(name)));
    expect(curl).toContain(name);
    const env = { PATH: process.env.PATH ?? "", SECRET: secret };
    const sent = Bun.spawn(["sh", "-c", curl], { env, stderr: "ignore" });
    const approval = await waitFor(async () =>
      (await listApprovals()).find(({ id }) => !before.has(id)),
    );
    await using approver = await app.open(`/approvals/${approval?.id}`, { as: grace });
    await approver.page.getByText(name, { exact: true }).first().waitFor();
    await approver.page.getByText(`${name}-box`, { exact: true }).first().waitFor();
    await approver.page.locator("[data-settled]").waitFor({ state: "attached" });
    await approver.page.getByRole("button", { name: "Approve" }).first().click();
    await approver.page.getByText("You have approved it").waitFor();
    const answered = await new Response(sent.stdout).text();
    const { params } = telegram.callsOf("sendMessage").at(-1) ?? {};
    return { answered, message: Object(params).text, chat: String(Object(params).chat_id) };
  };

  /** Expects the body that is written above, and that it runs. */
  const expectDrawn = async (visitor: AppVisitor, path: string, secret: string) => {
    const { page, faults } = visitor;
    const id = /workflows\/([^/]+)\/edit/.exec(page.url())?.[1] ?? "";
    const { body } = await api<Detail>(`GET /manager/api/workflows/${id}`);
    const { triggers, nodes, edges } = body;
    expect({ triggers, nodes, edges: sortEdges(edges) }).toEqual({
      ...toExpected(path),
      edges: sortEdges(toExpected(path).edges),
    });
    expect(await send(page, secret, path)).toEqual({
      answered: `${path}-box`,
      message: path,
      chat,
    });
    expect(faults).toEqual([]);
  };

  test("By the pointer alone, it is drawn readable within 1,000 pixels, and answers when it is approved", async () => {
    await using visitor = await app.open("/workflows", { as: drawer, width: 1440 });
    const { page } = visitor;
    const hands = createMouse(page);
    const secret = await draw(visitor, hands, "pointer");
    const places = await Promise.all(
      all.map(({ id }) => page.locator(`[data-item="${id}"]`).boundingBox()),
    );
    const boxes = places.flatMap((box) => box ?? []);
    const [left, right] = [
      Math.min(...boxes.map(({ x }) => x)),
      Math.max(...boxes.map(({ x, width }) => x + width)),
    ];
    expect(await page.getByText(/^\d+%$/).textContent()).toBe("100%");
    expect(boxes.map(({ width, height }) => [width, height])).toEqual(all.map(() => [180, 64]));
    expect(right - left).toBeLessThanOrEqual(1000);
    expect(await page.evaluate<string[]>(findCut)).toEqual([]);
    await expectDrawn(visitor, "pointer", secret);
  });
});

const sortEdges = (edges: readonly unknown[]) =>
  edges.map((edge) => JSON.stringify(edge, ["from", "case", "to"])).toSorted();

/** The names of items that are cut off: the first of their texts. */
const findCut = `[...document.querySelectorAll("[data-item] [title]")].map((texts) => texts.children[0])
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)`;
