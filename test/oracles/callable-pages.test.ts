/** "What I can call" in a real browser: the search, a call as a client makes it, and what each user may see of them. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import { checkSchemes } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");
const title = "What I can call";

describeApp({ title, toHubOptions: async () => ({ main }) }, (app) => {
  let ada: AppUser;
  let lone: AppUser;
  let [open, closed] = ["", ""];
  let token: string;
  const api = <T>(route: string, body?: unknown) => callApi<T>(app.base, token, route, body);

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    const add = async (label: string, tests: string) => {
      const values = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R" };
      const row = { connector: "form", label, values, tags: ["team"], tests };
      return (await api<{ id: string }>("POST /manager/api/rows", row)).id;
    };
    open = await add("Harbour office", "tag");
    closed = await add("Harbour vault", "admins");
    ada = await app.addUser("ada@example.com", { tags: ["team"] });
    lone = await app.addUser("lone@example.com");
  });

  test("A user finds an operation and calls it as a client, by the keyboard alone", async () => {
    await using visitor = await app.open("/operations", { as: ada, width: 390 });
    const { page, faults } = visitor;
    const search = page.getByRole("searchbox", { name: "Search operations" });
    await search.focus();
    await page.keyboard.type("echo office");
    await page.waitForURL(/q=echo/);
    const first = page.getByRole("table").getByRole("link").first();
    await waitFor(async () => (await first.innerText()) === "echo");
    await visitor.untilIdle();
    await checkSchemes(visitor);
    await first.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${app.base}/operations/${open}/echo?q=echo+office`);
    await page.getByLabel("Text").focus();
    await page.keyboard.type("Ahoy");
    await page.keyboard.press("Enter");
    await page.getByRole("group", { name: "Result" }).getByText("Ahoy").waitFor();
    await checkSchemes(visitor);
    await page.getByRole("tab", { name: "From a client" }).press("Enter");
    await page.getByText('"text": "Ahoy"').waitFor();
    await checkSchemes(visitor);
    await page.getByRole("link", { name: "What I can call" }).last().click();
    await page.waitForURL(`${app.base}/operations?q=echo+office`);
    const { runs } = await api<{ runs: Array<{ source: string; user: string }> }>(
      `GET /manager/api/rows/${open}/runs`,
    );
    expect(runs).toMatchObject([{ source: "test", user: ada.email }]);
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "Calls of several operations are sent in one message, and each has its result",
    async () => {
      await using visitor = await app.open(`/operations/${open}/echo`, { as: ada });
      const { page, faults } = visitor;
      await page.getByLabel("Text").fill("Ahoy");
      for (let at = 0; at < 2; at += 1) {
        await page.getByRole("button", { name: "Add to a message" }).click();
      }
      await page.getByRole("heading", { name: "One message: 2 calls" }).waitFor();
      await page.getByRole("link", { name: "What I can call" }).last().click();
      await page.getByRole("searchbox", { name: "Search operations" }).fill("recent calls");
      await page.getByRole("table").getByRole("link", { name: "My recent calls" }).click();
      await page.getByRole("list", { name: "Calls to send" }).waitFor();
      await page.getByRole("button", { name: "Remove call 2" }).click();
      await visitor.untilIdle();
      await checkSchemes(visitor);
      await page.getByRole("button", { name: "Send 1 call" }).click();
      const results = page.getByRole("region", { name: "Results" });
      await results.getByText("is not marked as one that only reads").waitFor();
      await results.getByText("0 of 1 call succeeded.").waitFor();
      await visitor.untilIdle();
      await checkSchemes(visitor);
      await results.getByRole("link", { name: "Recorded call" }).click();
      const record = page.getByRole("list", { name: "Calls in their order" });
      await record.getByRole("link", { name: "echo Ahoy" }).waitFor();
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "What a model is answered is shown as it is, for a search and for an operation",
    async () => {
      await using visitor = await app.open("/operations?q=echo&view=model", { as: ada });
      const { page, faults } = visitor;
      const shown = page.getByRole("group", { name: "As a client sees it" });
      const text = JSON.parse(await shown.innerText());
      expect(text).toMatchObject({ query: "echo", tools: [{ name: "echo" }, { name: "echo" }] });
      await checkSchemes(visitor);
      await page.goto(`${app.base}/operations/${open}/echo?tab=model`);
      expect(JSON.parse(await shown.innerText()).tool_id).toBe(`conn:${open}/echo`);
      expect(faults).toEqual([]);
    },
  );

  nightlyTest("A destructive operation asks first, and a failure leads to its record", async () => {
    await using visitor = await app.open(`/operations/${open}/wipe`, { as: ada });
    const { page } = visitor;
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("It is destructive").waitFor();
    await visitor.untilIdle();
    await checkSchemes(visitor);
    await dialog.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("wiped:").waitFor();
    await page.goto(`${app.base}/operations/${open}/big`);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const failure = page.getByRole("alert").filter({ hasText: "The call failed" });
    await failure.getByText("invalid_params").waitFor();
    await failure.getByRole("link", { name: "Recorded call" }).click();
    await page.getByRole("heading", { level: 1, name: /big/ }).waitFor();
  });

  nightlyTest("A row whose tests are for admins says who may allow them", async () => {
    await using visitor = await app.open(`/operations/${closed}/echo`, { as: ada });
    const { page, faults } = visitor;
    await page.getByText("An admin can allow it to all who see the row").waitFor();
    expect(await page.getByRole("button", { name: "Call", exact: true }).count()).toBe(0);
    await checkSchemes(visitor);
    expect(faults).toEqual([]);
  });

  test("An admin is told why clients cannot call an operation, and is refused as they are", async () => {
    await api(`POST /manager/api/rows/${closed}/operations/echo/disable`);
    await using visitor = await app.open(`/operations/${closed}/echo`);
    const { page } = visitor;
    await page.getByText("It is disabled.").waitFor();
    await page.getByLabel("Text").fill("Ahoy");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("operation_disabled").waitFor();
  });

  nightlyTest(
    "A user without tags is told that nothing is shared, and what to ask for",
    async () => {
      await using visitor = await app.open("/operations", { as: lone });
      const { page, faults } = visitor;
      await page.getByText("Nothing is shared with you yet").waitFor();
      await page.getByText(/give you a tag of the rows.*lone@example\.com/).waitFor();
      expect(await page.locator("main").innerText()).not.toContain("Harbour");
      await checkSchemes(visitor);
      expect(faults).toEqual([]);
    },
  );
});
