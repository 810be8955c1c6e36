import type { Hands } from "./drawing-hands.ts";

const webhook = { id: "webhook", title: "Webhook" };
const large = { id: "branch", title: "Branch", case: "true" };
const customer = { id: "get_customer", title: "Read a customer" };
const parcel = { id: "get_parcel", title: "Read the parcel of an order" };
const approved = { id: "approval", title: "Approval", case: "approved" };
const message = { id: "channel", title: "Channel message" };

/** The drawn items, from the trigger to the answer. */
export const drawnIds = [
  ...["webhook", "branch", "get_customer", "get_parcel", "approval", "channel", "respond"],
] as const;

type World = {
  /** Takes the secret that the dialog has made. */
  readSecret: () => Promise<void>;
  /** Sends a signed request to the test address, as the shop does, and waits for the end of its run. */
  sendTest: () => Promise<void>;
  /** The id of the chat. */
  chat: string;
};

const body = (name: string) => ["Event", "Payload", "body", name];

/**
 * Draws: a signed webhook, a check, two operations side by side, an approval, a chat message, and the answer. Values are
 * mapped from runs of what is drawn so far, because nothing else knows what a sender sends.
 */
export async function drawRefunds(hands: Hands, { readSecret, sendTest, chat }: World) {
  await hands.press("Make a workflow");
  await hands.fill("Name", "Refunds");
  await hands.press("Create");

  await hands.addTrigger("webhook", "webhook");
  await hands.fill("Path", "refunds");
  await hands.choose("Respond", "With a respond node");
  await hands.fill("Signing secret", "SHOP_SECRET");
  await hands.press("Set SHOP_SECRET");
  await hands.press("Generate");
  await readSecret();
  await hands.press("Save");

  await hands.addAfter(webhook, "branch", "branch");
  await sendTest();
  await hands.insert("Condition 1: value", body("amount"));
  await hands.choose("Condition 1: comparison", "is greater than");
  await hands.fill("Condition 1: compared with", "100");

  await hands.addAfter(large, "Read a customer", customer.id);
  await hands.insert("Id", body("customer"));
  await hands.addAfter(large, "Read the parcel", parcel.id);
  await hands.insert("Order", body("order"));
  await sendTest();

  await hands.select(customer.id);
  await hands.addAfter(customer, "approval", "approval");
  await hands.connect(parcel, "approval");
  await hands.select("approval");
  await hands.fill("Question", "Refund the order?");
  await hands.press("Add a value");
  await hands.fill("Value 1: label", "Amount");
  await hands.insert("Value 1: value", body("amount"));
  await hands.press("Add a value");
  await hands.fill("Value 2: label", "Customer");
  await hands.insert("Value 2: value", [customer.title, "name"]);
  await hands.fill("Approvers by tag", "bosses");

  await hands.addAfter(approved, "channel", message.id);
  await hands.fill("Channel ID", chat);
  await hands.insert("Text", [customer.title, "name"]);
  await hands.addAfter(message, "respond", "respond");
  await hands.insert("Body", body("amount"));
}

const templates = {
  customer: "{{.Node.get_customer.name}}",
  amount: "{{.Event.Payload.body.amount}}",
};

/** What the drawing saves. */
export function toDrawnNodes({ shop, chat }: { shop: string; chat: string }) {
  const hook = { path: "refunds", respond_mode: "respond_node", secret_ref: "SHOP_SECRET" };
  return {
    triggers: [{ id: "webhook", type: "webhook", entry: "branch", ...hook }],
    nodes: [
      {
        id: "branch",
        type: "branch",
        conditions: [{ left: templates.amount, op: "gt", right: "100" }],
      },
      {
        id: customer.id,
        tool_id: `conn:${shop}/get_customer`,
        params: { id: "{{.Event.Payload.body.customer}}" },
      },
      {
        id: parcel.id,
        tool_id: `conn:${shop}/get_parcel`,
        params: { order: "{{.Event.Payload.body.order}}" },
      },
      {
        id: "approval",
        title: "Refund the order?",
        values: [
          { label: "Amount", value: templates.amount },
          { label: "Customer", value: templates.customer },
        ],
        approvers: { tags: ["bosses"], users: [] },
      },
      {
        id: "channel",
        channel: "refunds",
        op: "send_message",
        args: { channel_id: chat, text: templates.customer },
      },
      { id: "respond", type: "webhook_respond", respond_body: templates.amount },
    ],
    edges: [
      { from: "branch", to: customer.id, case: "true" },
      { from: "branch", to: parcel.id, case: "true" },
      { from: customer.id, to: "approval" },
      { from: parcel.id, to: "approval" },
      { from: "approval", to: "channel", case: "approved" },
      { from: "channel", to: "respond" },
    ],
  };
}
