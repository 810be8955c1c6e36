/**
 * Approvals in a real browser: who is asked finds them, reads what will run, and decides; who may not is told
 * why, and who comes second is told who was first.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { waitFor } from "../support/wait-for.ts";
import { checkAccessibility, checkPages } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

type Approval = { id: string; run_id: string; title: string };

const body = {
  triggers: [{ id: "hand", type: "manual", entry: "ask" }],
  nodes: [
    {
      ...{ id: "ask", type: "approval", title: "Refund {{.Event.Payload.amount}}?" },
      ...{ details: "It was late.", approvers: { users: [], tags: ["bosses"] } },
    },
    {
      ...{ id: "pay", type: "http", method: "POST", url: "https://pay.example/refunds" },
      body: { amount: "{{.Event.Payload.amount}}" },
    },
    {
      ...{ id: "tell", type: "http", method: "POST", url: "https://mail.example/" },
      body: "{{.Node.pay.body.number}}",
    },
    { id: "no", type: "set", value: "{{.Node.ask.comment}}" },
  ],
  edges: [
    { from: "ask", to: "pay", case: "approved" },
    { from: "pay", to: "tell" },
    { from: "ask", to: "no", case: "denied" },
  ],
};

describeApp({ title: "Approvals" }, (app) => {
  let token: string;
  let workflow: string;
  let grace: AppUser;
  let ben: AppUser;

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    const made = await api<{ id: string }>("POST /manager/api/workflows", {
      name: "Refunds",
      body,
    });
    workflow = made.id;
    grace = await app.addUser("grace@example.com", { tags: ["bosses"] });
    ben = await app.addUser("ben@example.com", { tags: ["bosses"] });
  });

  const api = <T = Record<string, unknown>>(route: string, given?: unknown) =>
    callApi<T>(app.base, token, route, given);
  /** Starts a run, which asks. */
  const ask = async (amount: number): Promise<Approval> => {
    const payload = { amount };
    await api(`POST /manager/api/workflows/${workflow}/runs`, { draft: true, payload });
    const title = `Refund ${amount}?`;
    return await waitFor(async () => {
      const { approvals } = await api<{ approvals: Approval[] }>("GET /manager/api/approvals");
      return approvals.find((one) => one.title === title) ?? false;
    });
  };
  const readSteps = async ({ run_id: run }: Approval) => {
    const { steps } = await api<{
      steps: Array<{ node_id: string; state: string; output: unknown }>;
    }>(`GET /manager/api/workflows/${workflow}/runs/${run}`);
    return new Map(steps.map((step) => [step.node_id, step]));
  };

  test("An approver is led from the home page to what will run, and denies it by keyboard with a comment", async () => {
    const approval = await ask(120);
    await using visitor = await app.open("/", { as: grace });
    const { page } = visitor;
    await page.getByRole("link", { name: "Approvals 1 waiting for you" }).waitFor();
    await page.getByRole("link", { name: "Refund 120?" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Refund 120?" }).waitFor();
    await page.getByText("It was late.").waitFor();
    const pay = page.getByRole("region", { name: "pay" });
    await pay.getByText("Exactly this").waitFor();
    await pay.getByText("https://pay.example/refunds").waitFor();
    const tell = page.getByRole("region", { name: "tell" });
    await tell.getByText("they need the output of pay").waitFor();
    await checkAccessibility(visitor);
    const sent = page.waitForRequest(/decide$/);
    await page.getByLabel("Comment").focus();
    await page.keyboard.type("Too much");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect((await sent).postDataJSON()).toMatchObject({ hash: expect.any(String) });
    await page.getByText("You have denied it").waitFor();
    await waitFor(async () => (await readSteps(approval)).get("no")?.output === "Too much");
    await page.getByRole("link", { name: "Approvals", exact: true }).first().click();
    await page.getByText("Nothing waits for you").waitFor();
    await page.getByRole("tab", { name: "Decided" }).click();
    await page.getByRole("row", { name: /Refund 120\?.*Denied.*grace@example.com/ }).waitFor();
    expect(page.url()).toEndWith("/approvals?tab=decided");
    expect(visitor.faults).toEqual([]);
  });

  test("The second approver is told who decided meanwhile, and who started the run why they may not", async () => {
    const { id, run_id: run } = await ask(240);
    await using first = await app.open(`/approvals/${id}`, { as: grace });
    await using second = await app.open(`/approvals/${id}`, { as: ben });
    await second.page.getByRole("button", { name: "Approve" }).waitFor();
    await first.page.getByRole("button", { name: "Approve" }).click();
    await first.page.getByText("You have approved it").waitFor();
    await second.page.getByText("grace@example.com has approved it").waitFor();
    expect(await second.page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    const third = await ask(360);
    await using starter = await app.open(`/workflows/${workflow}/runs/${third.run_id}?node=ask`);
    await starter.page.getByRole("link", { name: "Decide it" }).click();
    await starter.page.getByText("You are not one of the approvers.").waitFor();
    expect(await starter.page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    expect(run).not.toBe("");
    expect([...first.faults, ...second.faults, ...starter.faults]).toEqual([]);
  });

  test("The pages of approvals fit and are accessible in each look", async () => {
    const { id } = await ask(480);
    await using visitor = await app.open("/", { as: grace });
    await checkPages(visitor, ["/", "/approvals", "/approvals?tab=decided", `/approvals/${id}`]);
  });
});
