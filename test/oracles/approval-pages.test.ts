/**
 * What people decide about runs, in a real browser. Approvals: who is asked finds them, reads what will run, and
 * decides; who may not is told why, and who comes second is told who was first. Runs that failed or may have
 * called are understood and go on.
 */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { queryDatabase } from "../support/query-database.ts";
import { startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import {
  checkAccessibility,
  checkDarkPhone,
  checkPages,
  checkSchemes,
} from "./support/app-pages.ts";
import {
  cardSizes,
  changeApprovals,
  readCard,
  readSeen,
  readValue,
} from "./support/approval-cards.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";
import { costMax, measurePages } from "./support/page-cost.ts";

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
    // The workflow does not exist for grace, so no link leads to it or to its run.
    await page.getByText("Draft", { exact: true }).waitFor();
    expect(await page.getByRole("link", { name: /Open the run|Refunds/ }).count()).toBe(0);
    const pay = page.getByRole("region", { name: "pay" });
    await pay.getByText("Exactly this").waitFor();
    await pay.getByText("https://pay.example/refunds").waitFor();
    const tell = page.getByRole("region", { name: "tell" });
    await tell.getByText("they need the output of pay").waitFor();
    await checkAccessibility(visitor);
    const sent = page.waitForRequest(/decide$/);
    await page.keyboard.press("c");
    // Letters of a comment decide nothing.
    await page.keyboard.type("Add: too much");
    await page.keyboard.press("Escape");
    await page.locator("[data-settled]").waitFor({ state: "attached" });
    await page.keyboard.press("d");
    expect((await sent).postDataJSON()).toMatchObject({ hash: expect.any(String) });
    await page.getByText("You have denied it").waitFor();
    await waitFor(async () => (await readSteps(approval)).get("no")?.output === "Add: too much");
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
      const approve = { name: "Approve" } as const;
      await second.page.getByRole("button", approve).first().waitFor();
      await first.page.getByText("#bot: ben@example.com").waitFor();
      await checkAccessibility(first);
      await first.page.getByRole("button", approve).first().click();
      await first.page.getByText("You have approved it").waitFor();
      await second.page.getByText("grace@example.com has approved it").waitFor();
      expect(await second.page.getByRole("button", approve).count()).toBe(0);
      await using starter = await app.open(`/workflows/${workflow}/edit?node=ask`);
      await starter.page.getByRole("button", { name: "Run", exact: true }).click();
      const dialog = starter.page.getByRole("dialog");
      await dialog.getByLabel("Payload").fill('{"amount": 360}');
      await dialog.getByRole("button", { name: "Run", exact: true }).click();
      await starter.page.locator('[data-item="ask"][data-state="waiting"]').waitFor();
      await starter.page.getByRole("link", { name: "Decide it" }).click();
      await starter.page.getByText("You are not one of the approvers.").waitFor();
      await starter.page.getByRole("link", { name: "Open the run" }).waitFor();
      expect(await starter.page.getByRole("button", approve).count()).toBe(0);
      expect([...first.faults, ...second.faults, ...starter.faults]).toEqual([]);
    },
  );

  nightlyTest(
    "A run whose step may have happened is resumed when a person says that it did",
    async () => {
      const nodes = [
        {
          id: "pay",
          label: "Pay the bill",
          type: "http",
          method: "POST",
          url: payUrl,
          body: { amount: 5 },
        },
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
      await dialog.getByLabel("Output of Pay the bill").fill('{"number": 7');
      await dialog.getByText("This is not valid JSON.").waitFor();
      await dialog.getByLabel("Output of Pay the bill").fill('{"number": 7}');
      await checkDarkPhone(visitor);
      await dialog.getByRole("button", { name: "Resume" }).click();
      await page.getByRole("status").getByText("Succeeded").waitFor();
      await page.locator("[data-item=after]").click();
      await page.getByRole("group", { name: "Output" }).getByText("7").waitFor();
      const side = page.getByRole("navigation", { name: "Runs of this workflow" });
      await side.locator("[aria-current=page]").getByText("Succeeded").waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );

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

  nightlyTest(
    "A failed run says why, what changed since, and is resumed with the draft of now",
    async () => {
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
      await page.setViewportSize({ width: 1024, height: 768 });
      const [words, inspector] = [
        await why.boundingBox(),
        await page.locator("[data-inspector]").boundingBox(),
      ];
      expect(inspector?.x).toBeGreaterThanOrEqual((words?.x ?? 0) + (words?.width ?? 0));
      await page.setViewportSize({ width: 1280, height: 900 });
      await checkDarkPhone(visitor);
      await page.getByRole("button", { name: "Resume" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("radio", { name: "The draft of now" }).check();
      await dialog.getByText("Taken over, not run again: Set (list).").waitFor();
      await dialog.getByText("Run again: Set (check).").waitFor();
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
    },
  );

  describe("By keyboard", () => {
    let refunds: string;
    let carl: AppUser;
    const label = "Refund desk";

    beforeAll(async () => {
      carl = await app.addUser("carl@example.com", { tags: ["clerks"] });
      const values = { base_url: payUrl.replace("/pay", "") };
      const given = { connector: "http", label, values, tags: ["clerks"] };
      const { id: row } = await api<{ id: string }>("POST /manager/api/rows", given);
      const nodes = [
        {
          id: "ask",
          type: "approval",
          title: "Pay {{.Event.Payload.amount}} EUR back?",
          details: "{{.Event.Payload.details}}",
          approvers: { users: [], tags: ["clerks"] },
        },
        {
          id: "pay",
          type: "operation",
          tool_id: `conn:${row}/post`,
          params: {
            path: "/refunds",
            body: { amount: "{{.Event.Payload.amount}}", customer: "{{.Event.Payload.customer}}" },
          },
        },
      ];
      const made = await api<{ id: string }>("POST /manager/api/workflows", {
        name: "Paying back",
        body: {
          triggers: [{ id: "hand", type: "manual", entry: "ask" }],
          nodes,
          edges: [{ from: "ask", to: "pay", case: "approved" }],
        },
      });
      refunds = made.id;
    });

    const listAsked = async () => {
      const path = `GET /manager/api/approvals?workflow=${refunds}`;
      const { approvals } = await api<{ approvals: Array<Approval & { state: string }> }>(path);
      return approvals;
    };
    /** Asks for refunds, which are then the only ones that wait. */
    const askFor = async (amounts: readonly number[]) => {
      const asked = await listAsked();
      for (const { run_id: run, state } of asked)
        if (state === "pending")
          await api(`POST /manager/api/workflows/${refunds}/runs/${run}/cancel`);
      const before = asked.length;
      for (const amount of amounts) {
        const payload = {
          amount,
          customer: `Customer of ${amount}`,
          details: "Late. ".repeat(400),
        };
        await api(`POST /manager/api/workflows/${refunds}/runs`, { draft: true, payload });
      }
      await waitFor(async () => (await listAsked()).length === before + amounts.length);
    };
    const readStates = async (amounts: readonly number[]) => {
      const asked = await listAsked();
      return amounts.map(
        (amount) => asked.find(({ title }) => title === `Pay ${amount} EUR back?`)?.state,
      );
    };

    nightlyTest.each(cardSizes)(
      "Six approvals are decided by keyboard, by what is seen in a window of $width × $height",
      async (size) => {
        const amounts = [20, 120, 40, 240, 60, 360].map((amount) => amount + size.width * 1000);
        const isTooMuch = (amount: number) => amount - size.width * 1000 > 100;
        await askFor(amounts);
        await using visitor = await app.open("/approvals", { as: carl });
        const { page } = visitor;
        await page.setViewportSize(size);
        await page
          .getByRole("link", { name: /EUR back/ })
          .first()
          .waitFor();
        await page.keyboard.press("j");
        // Opens the card: what was not read is not decided.
        await page.keyboard.press("a");
        const decided: number[] = [];
        while (decided.length < amounts.length) {
          await page.getByText(`1 of ${amounts.length - decided.length}`).waitFor();
          const texts = await readCard(page, /EUR back/);
          const amount = Number(readValue(texts, "body.amount"));
          expect(amounts).toContain(amount);
          expect(decided).not.toContain(amount);
          expect(texts).toContain(`Pay ${amount} EUR back?`);
          expect(readValue(texts, "body.customer")).toBe(`Customer of ${amount}`);
          expect(texts).toContain(label);
          expect(texts).toContain("HTTP");
          expect(texts).toContain("POST");
          expect(texts).toContain("Approve");
          expect(texts).toContain("Deny");
          expect(await page.evaluate<number>("scrollY")).toBe(0);
          expect((await readStates([amount]))[0]).toBe("pending");
          await page.keyboard.press(isTooMuch(amount) ? "d" : "a");
          decided.push(amount);
          if (decided.length === amounts.length) break;
          const word = isTooMuch(amount) ? "Denied" : "Approved";
          await page.getByRole("status").getByText(`${word}: Pay ${amount} EUR back?`).waitFor();
        }
        await page.getByText(/You have (denied|approved) it/).waitFor();
        await page.getByText("None waits for you").waitFor();
        expect(await readStates(amounts)).toEqual(
          amounts.map((amount) => (isTooMuch(amount) ? "denied" : "approved")),
        );
        expect(visitor.faults).toEqual([]);
      },
    );

    test("Keys decide nothing with modifiers, while they are held, in dialogs, when switched off, or too early", async () => {
      const amounts = [1, 2, 3];
      await askFor(amounts);
      await using visitor = await app.open("/approvals", { as: carl, hasClock: true });
      const { page } = visitor;
      let sent = 0;
      page.on("request", (request) => {
        if (request.url().endsWith("/decide")) sent += 1;
      });
      const expectNothing = async () => {
        await visitor.untilIdle();
        expect(sent).toBe(0);
        expect(await readStates(amounts)).toEqual(["pending", "pending", "pending"]);
      };
      // A double press in the list opens the card, and decides nothing.
      await page.getByRole("link", { name: "Pay 3 EUR back?" }).focus();
      await page.keyboard.press("d");
      await page.getByText("1 of 3").waitFor();
      await readCard(page, "Pay 3 EUR back?");
      for (const keys of ["Control+d", "Alt+a", "Meta+a", "Shift+A"])
        await page.keyboard.press(keys);
      await expectNothing();
      // Not in the menu, and not in the dialog with the keys.
      await page.getByRole("navigation", { name: "Main" }).getByRole("link").first().focus();
      await page.keyboard.press("a");
      await page.locator("main").focus();
      await page.keyboard.press("?");
      const dialog = page.getByRole("dialog", { name: "Keys" });
      await dialog.waitFor();
      await page.keyboard.press("a");
      await checkSchemes(visitor);
      // Switched off, only the buttons and Escape are left.
      await dialog.getByRole("switch", { name: "Single keys" }).press("Space");
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(await page.locator("[aria-keyshortcuts]").count()).toBe(0);
      await page.locator("main").focus();
      await page.keyboard.press("a");
      await page.keyboard.press("j");
      await expectNothing();
      await page.getByRole("button", { name: "Keys" }).press("Enter");
      await dialog.getByRole("switch", { name: "Single keys" }).press("Space");
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(
        await page
          .getByRole("button", { name: "Approve" })
          .first()
          .getAttribute("aria-keyshortcuts"),
      ).toBe("a");
      // The first moments of the next card.
      await page.locator("main").focus();
      await page.clock.pauseAt(Date.now() + 3_600_000);
      await page.keyboard.press("j");
      await page.getByRole("heading", { name: "Pay 2 EUR back?" }).waitFor();
      await page.keyboard.press("a");
      await page.getByRole("button", { name: "Approve" }).first().dispatchEvent("click");
      expect(await page.locator("[data-settled]").count()).toBe(0);
      await page.clock.resume();
      await readCard(page, "Pay 2 EUR back?");
      await expectNothing();
      // A key that stays down decides once.
      await page.keyboard.down("a");
      await readCard(page, "Pay 1 EUR back?");
      await page.keyboard.down("a");
      await page.keyboard.up("a");
      await visitor.untilIdle();
      expect(sent).toBe(1);
      expect(await readStates(amounts)).toEqual(["pending", "approved", "pending"]);
      expect(visitor.faults).toEqual([]);
    });

    nightlyTest(
      "A comment is kept while one goes on, and who was faster is said before the next one opens",
      async () => {
        const amounts = [11, 12, 13];
        await askFor(amounts);
        const dora = await app.addUser("dora@example.com", { tags: ["clerks"] });
        await using visitor = await app.open("/approvals", { as: carl, hasClock: true });
        await using other = await app.open("/approvals", { as: dora });
        const { page } = visitor;
        await page.getByRole("link", { name: "Pay 13 EUR back?" }).click();
        await readCard(page, "Pay 13 EUR back?");
        await page.keyboard.press("c");
        await page.keyboard.type("add");
        await page.keyboard.press("Escape");
        await page.keyboard.press("j");
        await readCard(page, "Pay 12 EUR back?");
        await page.keyboard.press("k");
        await readCard(page, "Pay 13 EUR back?");
        expect(await page.getByRole("textbox", { name: "Comment" }).inputValue()).toBe("add");
        // The page has not heard of it when the key is pressed.
        await page.clock.pauseAt(Date.now() + 3_600_000);
        await other.page.getByRole("link", { name: "Pay 13 EUR back?" }).click();
        await readCard(other.page, "Pay 13 EUR back?");
        await other.page.keyboard.press("a");
        await other.page.getByRole("status").getByText("Approved: Pay 13 EUR back?").waitFor();
        const refused = page.waitForResponse(/decide$/);
        await page.keyboard.press("d");
        expect((await refused).status()).toBe(409);
        await page.clock.resume();
        await readCard(page, "Pay 12 EUR back?");
        const said = "dora@example.com was first, approved: Pay 13 EUR back?";
        await page.getByRole("status").getByText(said).waitFor();
        await page.getByRole("link", { name: "Back to it" }).click();
        await page.getByText("dora@example.com has approved it").waitFor();
        await page.getByText("Your comment was not sent:").waitFor();
        await page.getByText("add", { exact: true }).waitFor();
        await checkSchemes(visitor);
        await checkDarkPhone(visitor);
        await page.keyboard.press("j");
        await readCard(page, "Pay 12 EUR back?");
        // Without a press the card stays, so that the press that comes is not on another one.
        await readCard(other.page, "Pay 12 EUR back?");
        await other.page.keyboard.press("d");
        await page.getByText("dora@example.com has denied it").waitFor();
        await page.getByRole("button", { name: "Next one" }).first().click();
        await readCard(page, "Pay 11 EUR back?");
        await page.keyboard.press("Escape");
        await page.getByRole("link", { name: "Pay 11 EUR back?" }).waitFor();
        expect(await readStates(amounts)).toEqual(["pending", "denied", "approved"]);
        const faults = visitor.faults.filter((fault) => !fault.includes("409"));
        expect([...faults, ...other.faults]).toEqual([]);
      },
    );

    nightlyTest(
      "A decision that fails is said where one is: on its card, or on the one to which one has gone on",
      async () => {
        const amounts = [21, 22, 23];
        await askFor(amounts);
        await using visitor = await app.open("/approvals", { as: carl });
        const { page } = visitor;
        const next = Promise.withResolvers<void>();
        const problem = { error: "The test refuses.", code: "internal" };
        await page.route(/decide$/, async (route) => {
          await next.promise;
          await route.fulfill({ status: 500, json: problem });
        });
        await page.getByRole("link", { name: "Pay 23 EUR back?" }).click();
        await readCard(page, "Pay 23 EUR back?");
        await page.keyboard.press("a");
        await page.keyboard.press("j");
        await readCard(page, "Pay 22 EUR back?");
        next.resolve();
        const toast = page.getByRole("status").getByText("“Pay 23 EUR back?”: The test refuses.");
        await toast.waitFor();
        await page.getByRole("button", { name: "Back to it" }).click();
        await readCard(page, "Pay 23 EUR back?");
        // The button at the end is pressed far below the place of the failure.
        await page.setViewportSize({ width: 390, height: 844 });
        await page.evaluate("scrollTo(0, document.body.scrollHeight)");
        await page.getByRole("button", { name: "Approve" }).click();
        await page.getByRole("alert").getByText("The test refuses.").waitFor();
        expect(await readSeen(page)).toContain("The test refuses.");
        expect(await readStates(amounts)).toEqual(["pending", "pending", "pending"]);
        // The hub decides, and its answer is lost. Without a network the hub may be on this machine.
        await page.evaluate("dispatchEvent(new Event('offline'))");
        await page.unroute(/decide$/);
        await page.route(/decide$/, async (route) => {
          await route.fetch();
          await route.abort();
        });
        await page.getByRole("button", { name: "Deny" }).click();
        await page.getByRole("status").getByText("Denied: Pay 23 EUR back?").waitFor();
        expect(await readStates(amounts)).toEqual(["pending", "pending", "denied"]);
        // One that is gone is not offered for a decision.
        await readCard(page, "Pay 22 EUR back?");
        const gone = { error: "There is no such approval.", code: "not_found" };
        await page.route(/approvals\/[0-9a-f-]{36}$/, (route) =>
          route.fulfill({ status: 404, json: gone }),
        );
        await page.getByText(gone.error).waitFor();
        expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
        const failures = /status of (404|500)|ERR_FAILED/;
        const faults = visitor.faults.filter((fault) => !failures.test(fault));
        expect(faults).toEqual([]);
      },
    );

    nightlyTest.each(cardSizes)(
      "A long question and six long values are seen with both buttons in a window of $width × $height",
      async (size) => {
        const amount = size.width + 100_000;
        await askFor([amount]);
        const long = (name: string) => `${name} ${"0123456789 ".repeat(9)}`.slice(0, 60).trim();
        const values = [
          "Amount",
          "Customer",
          "Order",
          "Reason",
          "Account of the customer",
          "Shop",
        ].map((label) => ({ label, value: long(label.slice(0, 8)), is_cut: false }));
        const question =
          `Pay ${amount} EUR back? ${"And read all of this first. ".repeat(8)}`.trim();
        const names = {
          row_label: "The payments of the shop in the north",
          connector_key: "http",
          connector_name: "HTTP",
          operation_name: "Create a refund of a payment",
          destructive: true,
        };
        await using visitor = await app.open("/approvals", { as: carl });
        const { page } = visitor;
        await page.setViewportSize(size);
        await changeApprovals(page, (approval) => ({
          ...approval,
          title: question,
          values,
          subject: names,
          ...(Array.isArray(approval.will_run) && {
            will_run: approval.will_run.map((node) => ({
              ...Object(node),
              ...names,
              operation_description: "Pays money back to the card of a customer. ".repeat(4),
            })),
          }),
        }));
        const id = (await listAsked()).find(({ title }) => title.includes(String(amount)))?.id;
        const [cost, list] = await measurePages(visitor, [`/approvals/${id}`, "/approvals"]);
        expect(cost?.shift).toBeLessThanOrEqual(costMax.shift);
        expect(list?.shift).toBeLessThanOrEqual(costMax.shift);
        expect(cost?.requests).toBeLessThanOrEqual(costMax.requests);
        await page.goto(`${app.base}/approvals/${id}`);
        const texts = await readCard(page, question);
        const expected = [
          question,
          names.row_label,
          "HTTP",
          names.operation_name,
          ...values.flatMap(({ label, value }) => [label, value]),
          "Approve",
          "Deny",
        ];
        expect(expected.filter((text) => !texts.includes(text))).toEqual([]);
        await checkSchemes(visitor);
        // At its end, the page hides no text behind the buttons.
        await page.evaluate("scrollTo(0, document.body.scrollHeight)");
        expect(await readSeen(page)).toContain("users with the tag clerks");
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(
          size.width,
        );
        // The list needs no scrolling sideways either.
        await page.goto(`${app.base}/approvals`);
        await page.getByRole("link", { name: question }).waitFor();
        for (const width of [size.width, 1024]) {
          await page.setViewportSize({ width, height: size.height });
          const table = "document.querySelector('[role=table]')";
          const hidden = await page.evaluate<number>(`${table}.scrollWidth - ${table}.clientWidth`);
          expect({ width, hidden }).toEqual({ width, hidden: 0 });
        }
        await checkSchemes(visitor);
        await page.unrouteAll({ behavior: "ignoreErrors" });
        expect(visitor.faults).toEqual([]);
      },
    );
  });

  test("The pages of approvals fit and are accessible in each look", async () => {
    const { id } = await ask(480);
    await using visitor = await app.open("/", { as: grace });
    await checkPages(visitor, ["/", "/approvals", "/approvals?tab=decided", `/approvals/${id}`]);
  });
});
