import { waitFor } from "../../support/wait-for.ts";
import { callApi } from "./fill-admin-pages.ts";

const toRefund = (billing: string, tag: string) => ({
  triggers: [{ id: "asked", type: "manual", entry: "ask", label: "Refund asked for" }],
  nodes: [
    {
      id: "ask",
      type: "approval",
      label: "Ask finance",
      title: "Refund {{.Event.Payload.amount}} to {{.Event.Payload.customer}}?",
      details: "The parcel came back unopened. The shop keeps the delivery fee.",
      values: [
        { label: "Amount", value: "{{.Event.Payload.amount}}" },
        { label: "Customer", value: "{{.Event.Payload.customer}}" },
        { label: "Invoice", value: "{{.Event.Payload.invoice}}" },
      ],
      approvers: { tags: [tag], users: [] },
    },
    {
      id: "refund",
      type: "operation",
      label: "Refund",
      tool_id: `conn:${billing}/post`,
      params: {
        path: "/refunds",
        body: { invoice: "{{.Event.Payload.invoice}}", amount: "{{.Event.Payload.amount}}" },
      },
    },
    { id: "refused", type: "set", label: "Tell support", value: "{{.Node.ask.comment}}" },
  ],
  edges: [
    { from: "ask", to: "refund", case: "approved" },
    { from: "ask", to: "refused", case: "denied" },
  ],
});

/** Adds a workflow whose run asks the users with the tag. Returns the id of the approval. */
export async function addSampleApproval(
  base: string,
  token: string,
  { billing, tag }: { billing: string; tag: string },
): Promise<string> {
  const call = <T = { id: string }>(route: string, body?: unknown) =>
    callApi<T>(base, token, route, body);
  const body = toRefund(billing, tag);
  const { id } = await call("POST /manager/api/workflows", { name: "Refunds", body });
  const payload = { amount: "128.40 EUR", customer: "Nordlicht GmbH", invoice: "2026-1147" };
  await call(`POST /manager/api/workflows/${id}/runs`, { draft: true, payload });
  return await waitFor(async () => {
    const path = `GET /manager/api/approvals?workflow=${id}`;
    const { approvals } = await call<{ approvals: Array<{ id: string }> }>(path);
    return approvals[0]?.id ?? false;
  });
}
