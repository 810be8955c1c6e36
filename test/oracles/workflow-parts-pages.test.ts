/** The parts of a workflow's page: publishing, versions, schedule, secrets, settings, owner, webhooks. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import {
  checkAccessibility,
  checkDarkPhone,
  collectAnswers,
  interceptRequests,
  visit,
} from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const manual = { id: "start", type: "manual", entry: "one" };
const toBody = (value: string, more: object = {}) => ({
  triggers: [manual],
  nodes: [{ id: "one", type: "set", value }],
  ...more,
});

type Shown = {
  name: string;
  version: number;
  tags: string[];
  owner: { email: string };
  draft: { revision: number };
  body: { nodes: Array<{ value: string }>; settings?: { timeout_s?: number } };
};

describeApp({ title: "The parts of a workflow's page" }, (app) => {
  let api: <T = { id: string }>(route: string, body?: unknown) => Promise<T>;

  beforeAll(async () => {
    const token = await app.hub.makeManageToken();
    api = (route, body) => callApi(app.base, token, route, body);
  });

  const add = async (name: string, body: object) => {
    const { id } = await api("POST /manager/api/workflows", { name, body });
    return id;
  };
  const publish = (id: string, revision: number) =>
    api(`POST /manager/api/workflows/${id}/publish`, { revision });
  const save = (id: string, revision: number, body: object) =>
    api(`PUT /manager/api/workflows/${id}/draft`, { revision, body });
  const show = (id: string) => api<Shown>(`GET /manager/api/workflows/${id}`);
  const dialogButton = (page: Page, name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true });

  test("Publish shows the problems, the difference and what it opens, and refuses errors", async () => {
    const id = await add("Publish me", toBody("old"));
    await publish(id, 1);
    await api(`PUT /manager/api/workflows/${id}/tags`, { tags: ["team"] });
    const { id: row } = await api("POST /manager/api/rows", {
      connector: "http",
      label: "Billing API",
      tags: ["team"],
      values: { base_url: "https://billing.example" },
    });
    const call = {
      id: "call",
      type: "operation",
      tool_id: `conn:${row}/get`,
      params: { path: "/" },
    };
    await save(id, 1, { ...toBody("old"), nodes: [{ id: "one", type: "set" }, call] });
    await using visitor = await app.open(`/workflows/${id}`, { hasClock: true });
    const { page, faults } = visitor;
    await page.getByRole("link", { name: "Publish" }).click();
    await page.getByRole("dialog").getByText("Error", { exact: true }).first().waitFor();
    expect(await dialogButton(page, "Publish").isDisabled()).toBe(true);
    // Another user corrects the draft meanwhile: the dialog checks the new one.
    const edges = [{ from: "one", to: "call" }];
    await save(id, 2, { ...toBody("new"), nodes: [...toBody("new").nodes, call], edges });
    await page.clock.runFor(10_000);
    await page.getByText("Billing API: get").waitFor();
    await waitFor(async () => !(await dialogButton(page, "Publish").isDisabled()));
    const text = await page.getByRole("dialog").innerText();
    expect(text).toContain('The node "call" is added.');
    expect(text).toContain("Users with the tag team may start it");
    await checkAccessibility(visitor);
    await page.getByLabel("Note").fill("Calls billing");
    await dialogButton(page, "Publish").click();
    await page.getByText("Version 2 of Publish me is published.").waitFor();
    expect((await show(id)).version).toBe(2);
    expect(faults).toEqual([]);
  });

  nightlyTest("The manual runner and Replay make dry runs, which send nothing", async () => {
    const pay = { id: "pay", type: "http", method: "POST", url: "https://pay.example/" };
    const id = await add("Dry", {
      triggers: [{ ...manual, entry: "pay" }],
      nodes: [{ ...pay, body: { amount: 5 } }],
    });
    await publish(id, 1);
    const readRuns = async () =>
      (
        await api<{ runs: Array<{ mode: string; version: number; parent_run_id: string | null }> }>(
          `GET /manager/api/workflows/${id}/runs`,
        )
      ).runs;
    await using visitor = await app.open(`/workflows/${id}?open=run`, { width: 360 });
    const { page } = visitor;
    const dialog = page.getByRole("dialog");
    const dry = dialog.getByRole("switch", { name: "Dry run: nothing is sent" });
    await dry.check();
    await checkDarkPhone(visitor);
    await dialogButton(page, "Run").click();
    await page.getByText("Unknown", { exact: true }).first().waitFor();
    expect(await readRuns()).toMatchObject([{ mode: "dry", version: 1, parent_run_id: null }]);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    // A dry run is replayed as one.
    expect(await dry.isChecked()).toBe(true);
    await dry.uncheck();
    await dialog.getByText("Its steps call the outside systems again.").waitFor();
    await dry.check();
    await dialog.getByText("give the outputs of that run.").waitFor();
    await checkDarkPhone(visitor);
    await dialogButton(page, "Replay").click();
    await dialog.waitFor({ state: "detached" });
    await waitFor(async () => (await readRuns()).length === 2);
    expect((await readRuns())[0]).toMatchObject({ mode: "dry", parent_run_id: expect.any(String) });
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest(
    "In a list of runs, the badge of a dry run takes no width from the name of its trigger",
    async () => {
      const label = "Order of the shop";
      const id = await add("Badges", toBody("old", { triggers: [{ ...manual, label }] }));
      await publish(id, 1);
      await api(`POST /manager/api/workflows/${id}/runs`, { wait_s: 10 });
      await api(`POST /manager/api/workflows/${id}/runs`, { dry_run: true, wait_s: 10 });
      await using visitor = await app.open(`/workflows/${id}?tab=runs`, { width: 360 });
      const { page } = visitor;
      const rows = page.getByRole("table", { name: "Runs" }).getByRole("row");
      const widthOf = async (row: Locator) =>
        (await row.getByRole("link", { name: label }).boundingBox())?.width;
      for (const width of [360, 768, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await visitor.untilIdle();
        const dry = rows.filter({ hasText: "Dry run" });
        const live = rows.filter({ hasNotText: "Dry run" }).last();
        expect({ width, name: await widthOf(dry) }).toEqual({ width, name: await widthOf(live) });
      }
      // The tab that an address names is seen, also where the list of tabs scrolls.
      await page.setViewportSize({ width: 360, height: 900 });
      await visit(visitor, `/workflows/${id}?tab=settings`);
      const box = await page.getByRole("tab", { name: "Settings" }).boundingBox();
      expect((box?.x ?? 360) + (box?.width ?? 360)).toBeLessThanOrEqual(360);
    },
  );

  nightlyTest(
    "Two versions are compared, and one is restored into the draft and taken back by Undo",
    async () => {
      const id = await add("Versions", toBody("one"));
      await publish(id, 1);
      await save(id, 1, toBody("two"));
      await publish(id, 2);
      await save(id, 2, toBody("three"));
      await using visitor = await app.open(`/workflows/${id}?tab=versions`);
      const { page, faults } = visitor;
      await page.selectOption("select[aria-label=From]", "1");
      await page.selectOption("select[aria-label=To]", "2");
      await page.waitForURL(/older=%221%22.*newer=%222%22/);
      await page.getByText(/"one".*changes/).waitFor();
      await page.getByRole("button", { name: "Show version 1" }).click();
      await page.getByRole("heading", { name: "Version 1" }).waitFor();
      await page.getByRole("button", { name: "Restore version 1 into the draft" }).click();
      await page.getByText("The draft is version 1 again.").waitFor();
      expect((await show(id)).body.nodes[0]?.value).toBe("one");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("The draft of Versions is as it was.").waitFor();
      expect((await show(id)).body.nodes[0]?.value).toBe("three");
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "The scheduler tab shows ticks and one-shot runs, moves one, and dropping it cancels it",
    async () => {
      const id = await add("Reminders", {
        triggers: [
          { id: "plan", type: "manual", entry: "later" },
          { id: "due", type: "schedule_at", entry: "call" },
          { id: "nightly", type: "cron", schedule: "0 0 3 * * *", timezone: "UTC", entry: "call" },
        ],
        nodes: [
          { id: "later", type: "set", value: { schedule_at: "2099-03-01T09:00:00Z" } },
          { id: "call", type: "set", value: "Time to call." },
        ],
      });
      await publish(id, 1);
      await api(`POST /manager/api/workflows/${id}/runs`, { wait_s: 10 });
      await using visitor = await app.open(`/workflows/${id}?tab=schedule`, { timezoneId: "UTC" });
      const { page, faults } = visitor;
      await page.getByText("0 0 3 * * *").waitFor();
      await page.getByText("Mar 1, 2099, 09:00:00 UTC").waitFor();
      await checkAccessibility(visitor);
      await page.getByRole("button", { name: /^Move/ }).click();
      await page.getByLabel("New time").fill("2099-03-02T10:30:15");
      await dialogButton(page, "Move").click();
      const table = page.getByRole("table", { name: "Scheduled runs" });
      await table.getByText("Mar 2, 2099, 10:30:15 UTC").waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await table.getByText("Mar 1, 2099, 09:00:00 UTC").waitFor();
      await page.getByRole("button", { name: /^Drop/ }).click();
      await dialogButton(page, "Drop").click();
      await page.getByText("No run waits for its time").waitFor();
      const { runs } = await api<{ runs: Array<{ state: string }> }>(
        `GET /manager/api/workflows/${id}/runs?trigger=due`,
      );
      expect(runs.map(({ state }) => state)).toEqual(["cancelled"]);
      expect(faults).toEqual([]);
    },
  );

  test("A secret that the body needs is missing, set, replaced and cleared, and its value is never shown", async () => {
    const id = await add("Secrets", toBody("{{.Secret.API_KEY}}"));
    await using visitor = await app.open(`/workflows/${id}?tab=secrets`);
    const { page, faults } = visitor;
    const toAnswers = collectAnswers(page);
    const dialog = page.getByRole("dialog");
    await page.getByText("The workflow needs API_KEY.").waitFor();
    for (const [button, value] of [
      ["Set API_KEY", "first-plaintext"],
      ["Replace API_KEY", "second-plaintext"],
    ] as const) {
      await page.getByRole("button", { name: button }).click();
      await dialog.getByLabel("Value").fill(value);
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("The secret API_KEY is set.").last().waitFor();
      await dialog.waitFor({ state: "detached" });
    }
    await page.getByRole("button", { name: "Clear API_KEY" }).click();
    await dialog.getByLabel("Type API_KEY to confirm").fill("API_KEY");
    await dialog.getByRole("button", { name: "Clear" }).click();
    await page.getByText("The workflow needs API_KEY.").waitFor();
    const answers = await toAnswers();
    expect(answers.length).toBeGreaterThan(0);
    const seen = [await page.content(), ...answers.map(({ text }) => text)].join();
    expect(seen).not.toContain("plaintext");
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "Settings are saved over the change of another user without losing either",
    async () => {
      const id = await add("Settings", toBody("old"));
      await using visitor = await app.open(`/workflows/${id}?tab=settings`);
      const { page } = visitor;
      await page.getByLabel("Time limit").fill("120");
      // The page does not read the other draft before it saves.
      const refused = Promise.withResolvers<void>();
      await interceptRequests(page, `**/manager/api/workflows/${id}`, async (route) => {
        await refused.promise;
        await route.continue();
      });
      await save(id, 1, toBody("of another user"));
      const answered = page.waitForResponse((answer) => answer.status() === 409);
      await page.getByRole("button", { name: "Save in the draft" }).click();
      await answered;
      refused.resolve();
      const alert = page.getByRole("alert");
      await alert.getByText('The node "one"').waitFor();
      expect(await page.getByLabel("Time limit").inputValue()).toBe("120");
      await page.getByRole("button", { name: "Save in the draft" }).click();
      await page.getByText("The settings are saved in the draft.").waitFor();
      const { body } = await show(id);
      expect(body.nodes[0]?.value).toBe("of another user");
      expect(body.settings?.timeout_s).toBe(120);
    },
  );

  nightlyTest("New tags say first what they open, and Delete asks for the name", async () => {
    const call = { id: "call", type: "http", method: "GET", url: "https://a.example/orders" };
    const id = await add("Delete me", { ...toBody("x"), nodes: [{ ...call, id: "one" }] });
    await using visitor = await app.open(`/workflows/${id}?tab=settings`);
    const { page, faults } = visitor;
    await page.getByRole("combobox", { name: "Tags" }).fill("sales");
    await page.keyboard.press("Enter");
    await page.getByText("GET https://a.example/orders").waitFor();
    await page.getByRole("button", { name: "Save tags" }).click();
    await page.getByText("The tags are saved.").waitFor();
    expect((await show(id)).tags).toEqual(["sales"]);
    await page.getByRole("button", { name: "Delete this workflow" }).click();
    expect(await dialogButton(page, "Delete").isDisabled()).toBe(true);
    await page.getByLabel("Type Delete me to confirm").fill("Delete me");
    await dialogButton(page, "Delete").click();
    await page.waitForURL(`${app.base}/workflows`);
    expect(await show(id).catch((thrown: Error) => thrown.message)).toContain("404");
    expect(faults).toEqual([]);
  });

  nightlyTest("A workflow is offered to another user, who reads it and accepts it", async () => {
    const ada = await app.addUser("ada@example.com");
    const id = await add("Offered", toBody("x"));
    await using visitor = await app.open(`/workflows/${id}?tab=settings`);
    await visitor.page.getByLabel("Offer it to another user").fill(ada.email);
    await visitor.page.getByRole("button", { name: "Offer" }).click();
    await visitor.page.getByText(`Offered to ${ada.email}, who can read it`).waitFor();
    await using heir = await app.open(`/workflows/${id}`, { as: ada });
    const { page } = heir;
    await page.getByText("offers you this workflow").waitFor();
    expect(await page.getByRole("tab").allInnerTexts()).toEqual([
      "Overview",
      "Runs",
      "Versions",
      "In words",
      "Secrets",
    ]);
    await checkAccessibility(heir);
    await page.getByRole("button", { name: "Accept" }).click();
    await page.getByRole("tab", { name: "Settings" }).waitFor();
    expect((await show(id)).owner.email).toBe(ada.email);
  });

  nightlyTest(
    "The curl commands of a webhook are accepted as they are, and its requests say what they were answered",
    async () => {
      const id = await add("Hook", {
        ...toBody("x"),
        triggers: [
          { id: "hook", type: "webhook", path: "in", entry: "one", secret_ref: "HOOK_KEY" },
        ],
      });
      await api(`PUT /manager/api/workflows/${id}/secrets/HOOK_KEY`, { value: "hook key" });
      await publish(id, 1);
      await using visitor = await app.open(`/workflows/${id}?tab=webhooks`, { hasClock: true });
      const { page, faults } = visitor;
      await page.locator("code", { hasText: `${app.base}/webhook/${id}/in` }).waitFor();
      await page.locator("code", { hasText: `${app.base}/webhook-test/${id}/in` }).waitFor();
      await page.getByText("Send a signed request with curl").first().click();
      const curl = await page.locator("details[open] pre").innerText();
      for (const SECRET of ["hook key", "wrong key"]) {
        const shell = Bun.spawn(["sh", "-c", curl], {
          env: { PATH: process.env.PATH ?? "", SECRET },
          stdout: "ignore",
          stderr: "ignore",
        });
        await shell.exited;
      }
      await page.clock.runFor(5_000);
      const table = page.getByRole("table", { name: "Requests" });
      await table.getByText("202").waitFor();
      await table.getByText("401").waitFor();
      await table.getByText(/signature/).waitFor();
      await page.selectOption("select[aria-label=Outcome]", "refused");
      await table.getByText("202").waitFor({ state: "detached" });
      await checkAccessibility(visitor);
      expect(faults).toEqual([]);
    },
  );
});
