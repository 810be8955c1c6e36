import type { Page } from "playwright-core";
import { waitFor } from "../../support/wait-for.ts";
import { callApi } from "./fill-admin-pages.ts";
import type { AppUser } from "./open-app.ts";
import type { PagePicture } from "./page-pictures.ts";
import type { SampleHub } from "./sample-hub.ts";

const toRefunds = (billing: string) => ({
  triggers: [
    { id: "hand", type: "manual", entry: "ask", label: "Ask for a refund" },
    { id: "legal", type: "manual", entry: "ask_finance", label: "Ask finance" },
  ],
  nodes: [
    {
      id: "ask",
      type: "approval",
      label: "Ask support",
      title: "Refund {{.Event.Payload.amount}} EUR to {{.Event.Payload.customer}}?",
      details: "The parcel came nine days late. The customer asked for the whole amount by mail.",
      approvers: { users: ["admin@localhost"], tags: ["support"] },
      values: [
        { label: "Amount", value: "{{.Event.Payload.amount}} EUR" },
        { label: "Customer", value: "{{.Event.Payload.customer}}" },
        { label: "Invoice", value: "{{.Event.Payload.invoice}}" },
      ],
    },
    {
      id: "ask_finance",
      type: "approval",
      label: "Ask finance",
      title: "Write off invoice {{.Event.Payload.invoice}}?",
      approvers: { users: [], tags: ["finance"] },
    },
    {
      id: "refund",
      type: "operation",
      label: "Pay it back",
      tool_id: `conn:${billing}/post`,
      params: {
        path: "/refunds",
        body: { invoice: "{{.Event.Payload.invoice}}", amount: "{{.Event.Payload.amount}}" },
      },
    },
    { id: "refused", type: "set", label: "Keep the reason", value: "{{.Node.ask.comment}}" },
  ],
  edges: [
    { from: "ask", to: "refund", case: "approved" },
    { from: "ask", to: "refused", case: "denied" },
    { from: "ask_finance", to: "refund", case: "approved" },
  ],
});

type Approval = { id: string; run_id: string };

/** The list of approvals, cards in each state, and the dialogs of a run that failed behind one. */
export async function listApprovalPictures(
  sample: SampleHub,
  approver: AppUser,
): Promise<PagePicture[]> {
  const { base, token, rows } = sample;
  const call = <T = Record<string, unknown>>(route: string, body?: unknown) =>
    callApi<T>(base, token, route, body);
  const { id: workflow } = await call<{ id: string }>("POST /manager/api/workflows", {
    name: "Refunds",
    description: "Pays money back once support has agreed.",
    body: toRefunds(rows.billing),
  });
  const ask = async (trigger: string, payload: { amount: number; customer: string }, n: number) => {
    const invoice = `2026-11${n}`;
    const given = { draft: true, trigger_id: trigger, payload: { ...payload, invoice } };
    const { run_id: run } = await call<{ run_id: string }>(
      `POST /manager/api/workflows/${workflow}/runs`,
      given,
    );
    return await waitFor(async () => {
      const { approvals } = await call<{ approvals: Approval[] }>(
        `GET /manager/api/approvals?mine=false&workflow=${workflow}`,
      );
      return approvals.find((one) => one.run_id === run) ?? false;
    });
  };
  // By a session, because tokens decide nothing.
  const cookie = approver.cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const me = await fetch(`${base}/profile/api/me`, { headers: { cookie } });
  const { csrf_token: csrf }: { csrf_token: string } = Object(await me.json());
  const decide = async (one: Approval, decision: string, comment?: string) => {
    const { hash } = await call<{ hash: string }>(`GET /manager/api/approvals/${one.id}`);
    const response = await fetch(`${base}/manager/api/approvals/${one.id}/decide`, {
      method: "POST",
      headers: { cookie, origin: base, "x-csrf-token": csrf, "content-type": "application/json" },
      body: JSON.stringify({ decision, hash, comment }),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  const paid = await ask("hand", { amount: 92.75, customer: "Quiet Garden" }, 21);
  const refused = await ask("hand", { amount: 386, customer: "Halden Bikes" }, 39);
  await decide(paid, "approved");
  await decide(refused, "denied", "The bike was used for a year.");
  const waiting = await ask("hand", { amount: 1240.5, customer: "Northwind Bakery" }, 47);
  await ask("hand", { amount: 18, customer: "Müller & Söhne, Druckerei und Verlag" }, 52);
  const finance = await ask("legal", { amount: 64_000, customer: "Blue Harbour" }, 60);
  const at = (one: Approval) => `/approvals/${one.id}`;
  const run = `/workflows/${workflow}/runs/${paid.run_id}`;
  await waitFor(async () => {
    const route = `GET /manager/api/workflows/${workflow}/runs/${paid.run_id}`;
    return (await call<{ ended_at: string | null }>(route)).ended_at !== null;
  });
  const failing = (page: Page) =>
    page.route("**/manager/api/approvals*", (route) =>
      route.fulfill({
        status: 500,
        json: { error: "Internal error. The log of the hub has details.", code: "internal" },
      }),
    );
  const asked = `/approvals/calls/${await askCall(sample)}`;
  return [
    { name: "call", path: asked },
    { name: "call-unknown", path: `/approvals/calls/${"0".repeat(32)}` },
    { name: "approvals-permits", path: "/approvals?tab=permits" },
    { name: "approvals", path: "/approvals", as: "user" },
    { name: "approvals-empty", path: "/approvals", as: "newcomer" },
    { name: "approvals-failed", path: "/approvals", before: failing },
    { name: "approvals-decided", path: "/approvals?tab=decided&who=all" },
    {
      name: "approvals-keys",
      path: "/approvals",
      as: "user",
      isWindow: true,
      act: (page) => page.keyboard.press("?"),
    },
    { name: "approval", path: at(waiting), as: "user" },
    {
      name: "approval-comment",
      path: at(waiting),
      as: "user",
      isWindow: true,
      async act(page) {
        await page.locator("[data-settled]").waitFor({ state: "attached" });
        await page.keyboard.press("c");
      },
    },
    { name: "approval-of-others", path: at(finance) },
    { name: "approval-approved", path: at(paid) },
    { name: "approval-denied", path: at(refused) },
    { name: "approval-unknown", path: "/approvals/00000000-0000-7000-8000-000000000000" },
    { name: "run-after-approval", path: run },
    {
      name: "run-resume",
      path: run,
      isWindow: true,
      async act(page) {
        await page
          .getByRole("button", { name: /^Resume/ })
          .first()
          .click();
        await page.getByRole("dialog").getByRole("radio").first().waitFor();
      },
    },
  ];
}

/** A call of a client that a rule asks about, of a row that no workflow calls. Returns its id. */
async function askCall({ base, hub, rows }: SampleHub): Promise<string> {
  const sentence = "Issues name customers.";
  await hub.cli("rule", "set", rows.tracker, "--asks", "always", "--hour", "--sentence", sentence);
  const args = ["token", "create", "--user", "admin@localhost", "--name", "Laptop", "--json"];
  const { token } = (await hub.cli(...args)).json<{ token: string }>();
  const response = await fetch(`${base}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "hub_execute",
        arguments: {
          tool_id: `conn:${rows.tracker}/get`,
          params: { path: "/issues?label=refund" },
        },
      },
    }),
  });
  const { result } = (await response.json()) as { result: { content: Array<{ text: string }> } };
  const { pending_id: id } = Object(JSON.parse(result.content[0]?.text ?? "{}"));
  return String(id);
}
