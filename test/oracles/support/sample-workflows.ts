/** Workflows as a small company has them after a day of work, for pictures. */
import { createHmac } from "node:crypto";
import { waitFor } from "../../support/wait-for.ts";
import { callApi } from "./fill-admin-pages.ts";

const secret = "a shared secret of the shop";

/** Orders of a shop by a signed webhook. Large ones wait for a reminder. */
const orders = {
  triggers: [
    {
      id: "order",
      type: "webhook",
      path: "orders",
      entry: "total",
      label: "Order placed",
      secret_ref: "SHOP_SECRET",
    },
    {
      id: "by_hand",
      type: "manual",
      entry: "total",
      label: "Enter an order",
      input: [
        { name: "OrderID", tag: "required;desc=Number of the order, as the shop shows it" },
        { name: "Amount", type: "integer", tag: "required;desc=In cents" },
        { name: "Express", type: "boolean", tag: "desc=Whether it is sent today" },
      ],
    },
    { id: "reminder", type: "schedule_at", entry: "remind", label: "Reminder" },
  ],
  nodes: [
    { id: "total", type: "set", label: "Read the order", value: "{{.Event.Payload}}" },
    {
      id: "check_stock",
      type: "branch",
      label: "In stock?",
      match: "all",
      conditions: [{ left: "{{.Event.Payload.body.amount}}", op: "lt", right: 100_000 }],
    },
    {
      id: "book",
      type: "set",
      label: "Book it",
      value: { booked: true, order: "{{.Node.total}}" },
    },
    { id: "refuse", type: "fail", label: "Refuse", message: "The order is larger than the stock." },
    { id: "remind", type: "set", label: "Remind sales", value: "Call the customer." },
  ],
  edges: [
    { from: "total", to: "check_stock" },
    { from: "check_stock", to: "book", case: "true" },
    { from: "check_stock", to: "refuse", case: "false" },
  ],
  settings: { severity: "critical", env: { CURRENCY: "EUR", SHOP: "north" } },
};

const toReport = (schedule: string, row: string) => ({
  triggers: [
    { id: "every_night", type: "cron", schedule, timezone: "Europe/Berlin", entry: "read" },
    { id: "now", type: "manual", entry: "read" },
  ],
  nodes: [
    { id: "read", type: "operation", tool_id: `conn:${row}/get`, params: { path: "/forecast" } },
    { id: "summary", type: "set", value: "{{len .Node.read}} entries" },
  ],
  edges: [{ from: "read", to: "summary" }],
});

const followUp = {
  triggers: [
    { id: "plan", type: "manual", entry: "later", label: "Plan a follow-up" },
    { id: "due", type: "schedule_at", entry: "call", label: "Follow-up is due" },
  ],
  nodes: [
    { id: "later", type: "set", value: { schedule_at: "{{.Event.Payload.at}}" } },
    { id: "call", type: "set", value: "Time to call." },
  ],
};

export type SampleWorkflows = Record<"orders" | "report" | "followUp" | "draft", string>;

/** Adds them with runs, deliveries and scheduled runs. */
export async function addSampleWorkflows(
  base: string,
  token: string,
  { forecast, billing }: { forecast: string; billing: string },
): Promise<SampleWorkflows> {
  const call = <T = { id: string }>(route: string, body?: unknown) =>
    callApi<T>(base, token, route, body);
  const add = async (name: string, description: string, body: object, tags: string[] = []) => {
    const { id } = await call("POST /manager/api/workflows", { name, description, body });
    if (body === orders) {
      await call(`PUT /manager/api/workflows/${id}/secrets/SHOP_SECRET`, { value: secret });
    }
    await call(`POST /manager/api/workflows/${id}/publish`, { revision: 1, note: "First version" });
    if (tags.length > 0) await call(`PUT /manager/api/workflows/${id}/tags`, { tags });
    return id;
  };
  const ids = {
    report: await add(
      "Nightly forecast report",
      "Reads the forecast every night and counts its entries.",
      toReport("0 30 2 * * *", forecast),
      ["everyone"],
    ),
    followUp: await add("Follow-ups", "Reminds sales to call a customer.", followUp, ["sales"]),
    orders: await add("Order intake", "Books the orders of the shop.", orders, ["engineering"]),
    draft: (
      await call("POST /manager/api/workflows", {
        name: "Invoice export",
        description: "Not ready yet.",
        body: toReport("0 0 6 * * 1", billing),
      })
    ).id,
  };
  const { orders: id } = ids;
  await call(`PUT /manager/api/workflows/${id}/draft`, {
    revision: 1,
    body: {
      ...orders,
      nodes: [
        ...orders.nodes,
        {
          id: "notify",
          type: "operation",
          label: "Tell billing",
          tool_id: `conn:${billing}/post`,
          params: { path: "/" },
        },
      ],
      edges: [...orders.edges, { from: "book", to: "notify" }],
      settings: { ...orders.settings, timeout_s: 120 },
    },
  });
  const send = async (amount: number, key = secret) => {
    const body = JSON.stringify({ order_id: "2026-1107", amount });
    const signature = createHmac("sha256", key).update(body).digest("hex");
    await fetch(`${base}/webhook/${id}/orders`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-hub-sig": `sha256=${signature}` },
      body,
    });
  };
  for (const amount of [1_250, 89_900, 245_000, 4_999, 12_000]) await send(amount);
  await send(1_250, "another key");
  await fetch(`${base}/webhook/${id}/other`, { method: "POST", body: "{}" });
  await call(`POST /manager/api/workflows/${ids.report}/runs`, { wait_s: 5 });
  for (const at of ["2099-03-01T09:00:00+01:00", "2099-03-02T15:30:00+01:00"]) {
    await call(`POST /manager/api/workflows/${ids.followUp}/runs`, { payload: { at }, wait_s: 5 });
  }
  const hasEnded = async () => {
    const { runs } = await call<{ runs: Array<{ ended_at: string | null }> }>(
      `GET /manager/api/workflows/${id}/runs`,
    );
    return runs.length === 5 && runs.every(({ ended_at: at }) => at !== null);
  };
  await waitFor(hasEnded);
  return ids;
}
