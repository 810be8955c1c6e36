/**
 * What people decide about runs, in a real browser. Approvals: who is asked finds them, reads what will run, and
 * decides; who may not is told why, and who comes second is told who was first. Runs that failed or may have
 * called are understood and go on.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { queryDatabase } from "../support/query-database.ts";
import { startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import { checkAccessibility, checkDarkPhone, checkPages } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

type Approval = { id: string; run_id: string; title: string };

const body = {
  triggers: [{ id: "hand", type: "manual", entry: "ask" }],
  nodes: [
    {
      id: "ask",
      type: "approval",
      title: "Refund {{.Event.Payload.amount}}?",
      details: "It was late.",
      approvers: { users: [], tags: ["bosses"] },
    },
    {
      id: "pay",
      type: "http",
      method: "POST",
      url: "https://pay.example/refunds",
      body: { amount: "{{.Event.Payload.amount}}" },
    },
    {
      id: "tell",
      type: "http",
      method: "POST",
      url: "https://mail.example/",
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

/** Carries a payment out, and says that it failed. One to `/slow` is answered at its second call. */
const toHubOptions = async (owned: AsyncDisposableStack) => {
  const pay = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch({ url, headers }) {
      if (!url.endsWith("/slow")) return new Response("Lost", { status: 500 });
      const key = headers.get("idempotency-key") ?? "";
      slowKeys.push(key);
      if (slowKeys.indexOf(key) === slowKeys.length - 1) await new Promise(() => {});
      return Response.json({ number: 7 });
    },
  });
  owned.defer(() => pay.stop(true));
  payUrl = `http://127.0.0.1:${pay.port}/pay`;
  env = { HUB_WORKFLOW_OUTBOUND_ALLOW: `127.0.0.1:${pay.port}` };
  return { env };
};
let payUrl: string;
let env: Record<string, string>;
/** The idempotency keys of the slow payments. */
const slowKeys: string[] = [];

describeApp({ title: "What people decide", toHubOptions }, (app) => {
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
  /** A message of a channel that asked the user. */
  const addQuestion = async (approval: string, email: string) => {
    const bot = { connector: "telegram", label: "Bot", tags: ["everyone"] };
    const { id: row } = await api<{ id: string }>("POST /manager/api/rows", bot);
    queryDatabase(
      app.hub.dataDir,
      `insert into approval_messages (id, approval_id, user_id, kind, team_id, account_id, hash, row_id, shown)
       select 'm1', '${approval}', id, 'telegram', '', '7', 'x', '${row}', 'pending' from users where email = '${email}'`,
    );
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

  nightlyTest(
    "The second approver is told who decided meanwhile, and who started the run why they may not",
    async () => {
      const { id } = await ask(240);
      await addQuestion(id, "ben@example.com");
      await using first = await app.open(`/approvals/${id}`, { as: grace });
      await using second = await app.open(`/approvals/${id}`, { as: ben });
      await second.page.getByRole("button", { name: "Approve" }).waitFor();
      await first.page.getByText("#bot: ben@example.com").waitFor();
      await checkAccessibility(first);
      await first.page.getByRole("button", { name: "Approve" }).click();
      await first.page.getByText("You have approved it").waitFor();
      await second.page.getByText("grace@example.com has approved it").waitFor();
      expect(await second.page.getByRole("button", { name: "Approve" }).count()).toBe(0);
      await using starter = await app.open(`/workflows/${workflow}/edit?node=ask`);
      await starter.page.getByRole("button", { name: "Run", exact: true }).click();
      const dialog = starter.page.getByRole("dialog");
      await dialog.getByLabel("Payload").fill('{"amount": 360}');
      await dialog.getByRole("button", { name: "Run", exact: true }).click();
      await starter.page.locator('[data-item="ask"][data-state="waiting"]').waitFor();
      await starter.page.getByRole("link", { name: "Decide it" }).click();
      await starter.page.getByText("You are not one of the approvers.").waitFor();
      expect(await starter.page.getByRole("button", { name: "Approve" }).count()).toBe(0);
      expect([...first.faults, ...second.faults, ...starter.faults]).toEqual([]);
    },
  );

  test("A run whose step may have happened is resumed when a person says that it did", async () => {
    const nodes = [
      { id: "pay", type: "http", method: "POST", url: payUrl, body: { amount: 5 } },
      { id: "after", type: "set", value: "{{.Node.pay.number}}" },
    ];
    const { id } = await api<{ id: string }>("POST /manager/api/workflows", {
      name: "Payments",
      body: {
        triggers: [{ id: "hand", type: "manual", entry: "pay" }],
        nodes,
        edges: [{ from: "pay", to: "after" }],
      },
    });
    const started = { draft: true, wait_s: 20 };
    const { run_id: run } = await api(`POST /manager/api/workflows/${id}/runs`, started);
    await using visitor = await app.open(`/workflows/${id}/runs/${run}`, { width: 1440 });
    const { page } = visitor;
    await page.getByRole("button", { name: "Resume" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("may carry it out twice").waitFor();
    expect(await dialog.getByRole("button", { name: "Resume" }).isDisabled()).toBe(true);
    await dialog.getByRole("radio", { name: "It happened" }).check();
    await dialog.getByLabel("Output of pay").fill('{"number": 7');
    await dialog.getByText("This is not valid JSON.").waitFor();
    await dialog.getByLabel("Output of pay").fill('{"number": 7}');
    await checkDarkPhone(visitor);
    await dialog.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("status").getByText("Succeeded").waitFor();
    await page.locator("[data-item=after]").click();
    await page.getByRole("group", { name: "Output" }).getByText("7").waitFor();
    const side = page.getByRole("navigation", { name: "Runs of this workflow" });
    await side.locator("[aria-current=page]").getByText("Succeeded").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest(
    "After a crash, a person decides that a step is repeated with its key, or that it failed",
    async () => {
      const nodes = [
        { id: "pay", type: "http", method: "POST", url: payUrl.replace("/pay", "/slow") },
        { id: "after", type: "set", value: "{{.Node.pay.body.number}}" },
      ];
      const { id } = await api<{ id: string }>("POST /manager/api/workflows", {
        name: "Slow payments",
        body: {
          triggers: [{ id: "hand", type: "manual", entry: "pay" }],
          nodes,
          edges: [{ from: "pay", to: "after" }],
        },
      });
      await api(`POST /manager/api/workflows/${id}/publish`, { revision: 1 });
      await using crashed = await startHub({ env, dataDir: app.hub.dataDir });
      // The server that accepts a run works on it.
      const start = () =>
        callApi<{ run_id: string }>(
          crashed.url,
          token,
          `POST /manager/api/workflows/${id}/runs`,
          {},
        );
      const [repeated, failed] = [await start(), await start()];
      await waitFor(() => slowKeys.length === 2);
      await crashed.kill();
      await using visitor = await app.open(`/workflows/${id}/runs/${repeated.run_id}`);
      const { page } = visitor;
      const dialog = page.getByRole("dialog", { name: "How did it end?" });
      const why = page.getByRole("region", { name: "Why does it wait?" });
      await page.getByRole("button", { name: "Decide", exact: true }).waitFor();
      await why.getByText("resume the run with a decision").waitFor();
      await page
        .locator('[data-item="pay"][data-state="waiting"]')
        .getByText("to decide")
        .waitFor();
      await checkDarkPhone(visitor);
      await page.getByRole("button", { name: "Decide", exact: true }).click();
      await dialog.getByText("Look at the other system").waitFor();
      expect(await dialog.getByRole("button", { name: "Go on" }).isDisabled()).toBe(true);
      await dialog.getByRole("radio", { name: "Repeat" }).focus();
      await page.keyboard.press("Space");
      await checkDarkPhone(visitor);
      await dialog.getByRole("button", { name: "Go on" }).click();
      await page.getByRole("status").getByText("Succeeded").waitFor();
      expect(page.url()).toEndWith(`/runs/${repeated.run_id}`);
      expect(slowKeys.filter((key) => key.startsWith(repeated.run_id))).toHaveLength(2);
      expect(slowKeys[2]).toBe(slowKeys.find((key) => key.startsWith(repeated.run_id)) ?? "");
      await page.goto(`${app.base}/workflows/${id}/runs/${failed.run_id}`);
      await page.getByRole("button", { name: "Decide", exact: true }).click();
      await dialog.getByRole("radio", { name: "Fail" }).check();
      await dialog.getByRole("button", { name: "Go on" }).click();
      await page.getByRole("status").getByText("Failed").waitFor();
      const inspector = page.locator("[data-inspector]");
      await inspector.getByText("admin@localhost decided that this step failed.").waitFor();
      await page.getByText("the decision of a person ended the run").waitFor();
      await page.getByRole("button", { name: "Resume" }).waitFor();
      expect(slowKeys).toHaveLength(3);
      await checkDarkPhone(visitor);
      expect(visitor.faults).toEqual([]);
    },
  );

  test("A failed run says why, what changed since, and is resumed with the draft of now", async () => {
    const toBody = (max: number) => ({
      triggers: [{ id: "hand", type: "manual", entry: "list" }],
      nodes: [
        { id: "list", type: "set", value: [1, 2, 3] },
        { id: "check", type: "set", value: `{{index .Node.list ${max}}}` },
        { id: "end", type: "set", value: "{{.Node.check}}" },
      ],
      edges: [
        { from: "list", to: "check" },
        { from: "check", to: "end" },
      ],
    });
    const made = { name: "Lists", body: toBody(0) };
    const { id } = await api<{ id: string }>("POST /manager/api/workflows", made);
    const draft = { draft: true, wait_s: 20 };
    const save = (revision: number, max: number) =>
      api(`PUT /manager/api/workflows/${id}/draft`, { revision, body: toBody(max) });
    await api(`POST /manager/api/workflows/${id}/runs`, draft);
    await save(1, 9);
    const { run_id: run } = await api(`POST /manager/api/workflows/${id}/runs`, draft);
    await save(2, 1);
    await using visitor = await app.open(`/workflows/${id}/runs/${run}`);
    const { page } = visitor;
    const why = page.getByRole("region", { name: "Why did it fail?" });
    await why.getByText("Since it last worked").waitFor();
    await why.getByRole("link", { name: "a run of a draft" }).waitFor();
    await why.getByRole("heading", { name: "The workflow" }).waitFor();
    const count = page.locator(".react-flow__edgelabel-renderer").getByText("3 items");
    await count.waitFor();
    expect(await count.getAttribute("title")).toStartWith("The output is a list of 3 items.");
    await checkDarkPhone(visitor);
    await page.getByRole("button", { name: "Resume" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "The draft of now" }).check();
    await dialog.getByText("Taken over, not run again: list.").waitFor();
    await dialog.getByText("Run again: check.").waitFor();
    await checkDarkPhone(visitor);
    await dialog.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("status").getByText("Succeeded").waitFor();
    await page.locator("[data-item=list]").getByText("taken over").waitFor();
    await page.goto(`${app.base}/workflows/${id}?tab=words`);
    await page.getByRole("heading", { name: "What it does" }).waitFor();
    await checkDarkPhone(visitor);
    await page.getByRole("button", { name: "check" }).click();
    await page.getByRole("button", { name: "In words" }).click();
    await page.getByRole("region", { name: "In words" }).getByText("What starts it").waitFor();
    await checkDarkPhone(visitor);
    expect(visitor.faults).toEqual([]);
  });

  test("The pages of approvals fit and are accessible in each look", async () => {
    const { id } = await ask(480);
    await using visitor = await app.open("/", { as: grace });
    await checkPages(visitor, ["/", "/approvals", "/approvals?tab=decided", `/approvals/${id}`]);
  });
});
