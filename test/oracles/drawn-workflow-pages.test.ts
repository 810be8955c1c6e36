/**
 * A whole workflow is drawn on the canvas, by mouse and by keyboard alone: a signed webhook, a check, two operations
 * side by side, an approval, a chat message, and the answer. It is then published, and does what was drawn.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import { readCard } from "./support/approval-cards.ts";
import { drawnIds, drawRefunds, toDrawnNodes } from "./support/draw-refunds.ts";
import { findItem, type Hands } from "./support/drawing-hands.ts";
import { createKeys } from "./support/drawing-keys.ts";
import { createMouse } from "./support/drawing-mouse.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";
import { type RefundShop, startRefundShop } from "./support/refund-shop.ts";

setDefaultTimeout(240_000);

let shop: RefundShop;
const toHubOptions = async (owned: AsyncDisposableStack) => {
  shop = owned.use(startRefundShop());
  return {};
};

type Body = { triggers: unknown[]; nodes: Array<{ id: string }>; edges: unknown[] };

describeApp({ title: "A drawn workflow", toHubOptions }, (app) => {
  let token: string;
  let boss: AppUser;
  let rows: { shop: string; chat: string };

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    rows = await shop.addRows(app.base, token);
    boss = await app.addUser("grace@example.com", { tags: ["bosses"] });
  });

  const api = <T = Record<string, unknown>>(route: string, body?: unknown) =>
    callApi<T>(app.base, token, route, body);
  /** Sends an order of the shop with its signature. */
  const send = (address: string, secret: string) => {
    const body = JSON.stringify({ order: 42, amount: 129.5, customer: "c7" });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-sig": `sha256=${signature}` };
    return fetch(`${app.base}${address}`, { method: "POST", body, headers });
  };

  /** Draws and publishes it, and decides what it asks. */
  async function drawAndRun(toHands: (page: Page) => Hands): Promise<Hands["used"]> {
    await using visitor = await app.open("/workflows", { width: 1440 });
    const { page } = visitor;
    const hands = toHands(page);
    const readId = () => new URL(page.url()).pathname.split("/")[2] ?? "";
    let secret = "";
    await drawRefunds(hands, {
      chat: rows.chat,
      async readSecret() {
        const value = page.getByRole("dialog").getByRole("textbox", { name: "Value" });
        secret = await value.inputValue();
      },
      async sendTest() {
        await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
        // Nothing answers yet.
        expect((await send(`/webhook-test/${readId()}/refunds`, secret)).status).toBe(502);
      },
    });
    await page.getByText("100%", { exact: true }).waitFor();
    const boxes = await Promise.all(drawnIds.map((id) => findItem(page, id).boundingBox()));
    const shown = boxes.filter((box) => box !== null);
    expect(shown.length).toBe(7);
    const right = Math.max(...shown.map(({ x, width }) => x + width));
    expect(right - Math.min(...shown.map(({ x }) => x))).toBeLessThanOrEqual(1_000);
    expect(await page.evaluate<string[]>(cutNames)).toEqual([]);

    await hands.press("Publish");
    // Once it is checked. There is a warning: the sender waits for 30 seconds, and the approval for longer.
    const publish = page.getByRole("dialog").getByRole("button", { name: "Publish", exact: true });
    await publish.and(page.locator(":enabled")).waitFor();
    await hands.press("Publish");
    await hands.press("Done");
    await page.getByText("Published, version 1").waitFor();
    const id = readId();
    const { body } = await api<{ body: Body }>(`GET /manager/api/workflows/${id}`);
    const expected = toDrawnNodes(rows);
    expect(body.triggers).toMatchObject(expected.triggers);
    const byId = new Map(body.nodes.map((node) => [node.id, node]));
    expect([...byId.keys()].sort()).toEqual(expected.nodes.map(({ id }) => id).sort());
    for (const node of expected.nodes) expect(byId.get(node.id)).toMatchObject(node);
    expect(body.edges).toHaveLength(expected.edges.length);
    expect(body.edges).toEqual(expect.arrayContaining(expected.edges));

    const before = shop.listMessages().length;
    expect((await send(`/webhook/${id}/refunds`, "another")).status).toBe(401);
    const answered = send(`/webhook/${id}/refunds`, secret);
    await waitFor(async () => {
      const { approvals } = await api<{ approvals: unknown[] }>("GET /manager/api/approvals");
      return approvals.length > 0;
    });
    await using approver = await app.open("/approvals", { as: boss });
    await approver.page.getByRole("link", { name: "Refund the order?" }).click();
    const texts = await readCard(approver.page, "Refund the order?");
    expect(texts).toEqual(
      expect.arrayContaining(["Amount", "129.5", "Customer", "Nordlicht GmbH"]),
    );
    await approver.page.getByRole("button", { name: "Approve" }).first().click();
    const answer = await answered;
    expect({ status: answer.status, text: await answer.text() }).toEqual({
      status: 200,
      text: "129.5",
    });
    expect(shop.listMessages().slice(before)).toEqual(["Nordlicht GmbH"]);
    expect([...visitor.faults, ...approver.faults, ...shop.telegram.faults]).toEqual([]);
    return hands.used;
  }

  test("By mouse, seven nodes are drawn within 1,000 pixels and every value is mapped by clicks", async () => {
    const used = await drawAndRun(createMouse);
    expect(used).toMatchObject({ drags: 2, keys: 0 });
    expect(used.clicks).toBeLessThanOrEqual(75);
  });

  nightlyTest("By keyboard alone, the same workflow is drawn, published and run", async () => {
    expect(await drawAndRun(createKeys)).toMatchObject({ clicks: 0, drags: 0 });
  });
});

/** The names of items of which a part is not visible. */
const cutNames = `[...document.querySelectorAll("[data-item]")]
  .map((item) => [item.title.split("\\n")[0], item.querySelector("span > span")])
  .filter(([, name]) => name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 1)
  .map(([title]) => title)`;
