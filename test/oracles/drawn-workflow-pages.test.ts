/** A whole workflow drawn on the canvas. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";
import { type RefundShop, startRefundShop } from "./support/refund-shop.ts";
import { drawRefunds } from "./support/draw-refunds.ts";
import { createKeys } from "./support/drawing-keys.ts";
import { createMouse } from "./support/drawing-mouse.ts";

setDefaultTimeout(180_000);
let shop: RefundShop;
const toHubOptions = async (owned: AsyncDisposableStack) => {
  shop = owned.use(startRefundShop());
  return {};
};

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

  for (const [name, create] of [["mouse", createMouse], ["keys", createKeys]] as const)
  test(`by ${name}`, async () => {
    await using visitor = await app.open("/workflows", { width: 1440 });
    const { page } = visitor;
    page.context().setDefaultTimeout(6000);
    const hands = create(page);
    const shot = (n: string) => page.screenshot({ path: `/tmp/p1/${name}-${n}.png` });
    try {
      let secret = "";
      const send = async (kind: string) => {
        const id = page.url().split("/workflows/")[1]?.split("/")[0] ?? "";
        const body = JSON.stringify({ order: 42, amount: 129.5, customer: "c7" });
        const signature = createHmac("sha256", secret).update(body).digest("hex");
        return await fetch(`${app.base}/${kind}/${id}/refunds`, { method: "POST", body, headers: { "content-type": "application/json", "x-hub-sig": `sha256=${signature}` } });
      };
      await drawRefunds(hands, {
        chat: rows.chat,
        async readSecret() {
          secret = await page.getByRole("dialog").getByRole("textbox", { name: "Value" }).inputValue();
        },
        async sendTest() {
          await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
          const sent = await send("webhook-test");
          console.log(sent.status, await sent.text());
        },
      });
      await shot("end");
      console.log(hands.used);
    } catch (error) {
      await shot("fail");
      throw error;
    }
  });
});
