/**
 * The pages when the API fails or the network is cut: what failed is said, Retry works, nothing that was
 * typed is lost, and an ended session is renewed in place.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { someOf } from "../../packages/server/src/lib/testing/amount.ts";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import {
  type AppVisitor,
  checkAccessibility,
  interceptRequests,
  makeRuns,
  waitUntilIntercepted,
} from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");
const title = "The pages when the API fails";

/** An answer instead of that of the hub, in the words of the browser's protocol. `body` is base64. */
type Refusal = {
  responseCode: number;
  responseHeaders: Array<{ name: string; value: string }>;
  body: string;
};

describeApp({ title, toHubOptions: async () => ({ main }) }, (app) => {
  let token: string;
  let row: string;
  let run: string;
  let user: string;
  let workflow: string;
  let visitor: AppVisitor;
  let page: Page;

  const api = <T = Record<string, unknown>>(route: string, body?: unknown) =>
    callApi<T>(app.base, token, route, body);

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    run = (await makeRuns(app.hub, app.base))[0] ?? "";
    const values = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R" };
    const added = { connector: "form", label: "Form", tags: ["team"], values };
    ({ id: row } = await api<{ id: string }>("POST /manager/api/rows", added));
    const ada = { email: "ada@example.com", tags: ["team"] };
    ({ id: user } = await api<{ id: string }>("POST /admin/api/users", ada));
    ({ id: workflow } = await api<{ id: string }>("POST /manager/api/workflows", {
      name: "Report",
    }));
    visitor = await app.open();
    page = visitor.page;
  });
  afterAll(() => visitor[Symbol.asyncDispose]());

  const settings = () => `/manager/connectors/form/${row}`;
  const field = (key: string) => page.locator(`[data-field="${key}"]`);
  const input = (key: string) => field(key).locator("input");
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true });

  async function goTo(path: string): Promise<void> {
    await page.goto(`${app.base}${path}`);
    await page.waitForSelector("h1");
    await page.locator("[aria-label=Loading]").first().waitFor({ state: "detached" });
  }

  const failure = "The hub has failed for this test.";
  const answer500: Refusal = {
    responseCode: 500,
    responseHeaders: [{ name: "content-type", value: "application/json" }],
    body: btoa(JSON.stringify({ error: failure, code: "internal" })),
  };
  const answer429: Refusal = {
    responseCode: 429,
    responseHeaders: [{ name: "retry-after", value: "7" }],
    body: btoa("Too many"),
  };

  /** Has requests to the API fail until the work is done. */
  async function during(
    { what, method, how = answer500 }: { what: RegExp; method?: string; how?: Refusal },
    work: () => Promise<void>,
  ): Promise<void> {
    // `page.route` would also ask for each file of the app, and switch the cache off.
    const session = await page.context().newCDPSession(page);
    session.on("Fetch.requestPaused", ({ requestId, request }) => {
      const isProbe = new URL(request.url).pathname === "/health";
      const isMeant = what.test(request.url) && (method ?? request.method) === request.method;
      const refusal = isProbe ? { responseCode: 204 } : isMeant ? how : null;
      const answered =
        refusal === null
          ? session.send("Fetch.continueRequest", { requestId })
          : session.send("Fetch.fulfillRequest", { requestId, ...refusal });
      // The page may have left the request.
      answered.catch(() => {});
    });
    await session.send("Fetch.enable", {
      patterns: [{ urlPattern: "*/api/*" }, { urlPattern: "*/health" }],
    });
    await waitUntilIntercepted(page);
    try {
      await work();
    } finally {
      await session.send("Fetch.disable");
      await session.detach();
    }
  }

  const refuse = (route: Route) =>
    route.fulfill({ status: 500, json: { error: failure, code: "internal" } });

  /** Expects only faults that the browser reports for each failed request. */
  function expectOnlyFailedLoads(): void {
    const other = visitor.faults
      .splice(0)
      .filter((one) => !one.includes("Failed to load resource"));
    expect(other).toEqual([]);
  }

  const readAlerts = () => page.locator("main").getByRole("alert").allInnerTexts();

  test("Every page says what could not be loaded, and Retry shows it", async () => {
    const paths = [
      "/",
      "/manager/connectors/form",
      settings(),
      "/manager/connectors/form/new",
      "/workflows",
      `/workflows/${workflow}?tab=versions`,
      "/manager/runs",
      `/manager/runs/${run}`,
      "/admin/users",
      `/admin/users/${user}`,
      "/admin/tags",
      "/admin/tags/team",
      "/admin/connectors",
      "/admin/tokens",
      "/admin/applications",
      "/admin/changes",
      "/admin/settings",
      "/admin/health",
    ];
    for (const [at, path] of someOf(6, paths).entries()) {
      const how = at % 2 === 0 ? answer500 : answer429;
      const said = how === answer500 ? failure : "Try again in 7 seconds";
      await during({ what: /\/(manager|admin)\/api\//, how }, async () => {
        await page.goto(`${app.base}${path}`);
        await page.locator("main").getByRole("alert").first().waitFor();
        await page.locator("[aria-label=Loading]").first().waitFor({ state: "detached" });
        const alerts = await readAlerts();
        expect({ path, alerts }).toEqual({
          path,
          alerts: alerts.map(() =>
            expect.stringMatching(new RegExp(`could not be loaded[^]*${said}`)),
          ),
        });
      });
      await page.evaluate(
        `for (const one of document.querySelectorAll("main [role=alert] button")) one.click()`,
      );
      await page.locator("main").getByRole("alert").first().waitFor({ state: "detached" });
      await page.waitForSelector("h1");
    }
    expectOnlyFailedLoads();
  });

  nightlyTest(
    "A hub that does not answer is named within some seconds, and its answer is shown when it comes",
    async () => {
      const held: Route[] = [];
      await page.route(/\/manager\/api\/(attention|overview)/, (route) => void held.push(route));
      await page.goto(app.base);
      await page.getByText("What needs attention could not be loaded yet.").waitFor();
      await page.locator("nav.hub-nav").getByRole("link", { name: "Home" }).waitFor();
      // Its shape stays, but is not seen.
      expect(await page.getByRole("status", { name: "Loading" }).count()).toBe(0);
      await page.getByRole("button", { name: "Retry" }).first().click();
      await waitFor(() => held.length >= 4);
      await Promise.all(held.map((route) => route.continue()));
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.getByText("Needs attention").waitFor();
      await page.getByText("Slowest rows").waitFor();
      expectOnlyFailedLoads();
    },
  );

  nightlyTest("A part of a row's page that fails has a Retry of its own", async () => {
    for (const [search, what] of [
      ["", /\/settings$/],
      ["?op=echo", /operations\/echo$/],
      ["?tab=history", /\/runs\?/],
      ["?tab=access", /\/admin\/api\/users/],
    ] as const) {
      await during({ what }, async () => {
        await page.goto(`${app.base}${settings()}${search}`);
        await page.getByRole("tabpanel").getByText("could not be loaded").waitFor();
      });
      await press("Retry");
      await page.getByText("could not be loaded").waitFor({ state: "detached" });
    }
    expectOnlyFailedLoads();
  });

  test("A save that fails keeps what was typed, and the next one saves it", async () => {
    await goTo(settings());
    await input("note").fill("typed");
    await during({ what: /\/rows\/[^/]+\/settings$/, method: "PATCH" }, async () => {
      await press("Save");
      await page.getByRole("alert").getByText(failure).waitFor();
      expect(await input("note").inputValue()).toBe("typed");
    });
    await press("Save");
    await field("note").getByText("Saved").waitFor();
    expectOnlyFailedLoads();
  });

  nightlyTest(
    "A save whose answer is lost blames no one else, and the next one ends it",
    async () => {
      await goTo(settings());
      await input("note").fill("lost on its way back");
      await interceptRequests(page, /\/rows\/[^/]+\/settings$/, async (route) => {
        if (route.request().method() !== "PATCH") return route.fallback();
        await route.fetch();
        await route.abort("connectionreset");
      });
      await press("Save");
      await page.getByRole("alert").getByText("The hub does not answer.").waitFor();
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await press("Save");
      await page.getByRole("button", { name: "Save", exact: true, disabled: true }).waitFor();
      expect(await page.getByText("Someone else").count()).toBe(0);
      expect(await input("note").inputValue()).toBe("lost on its way back");
      expectOnlyFailedLoads();
    },
  );

  nightlyTest(
    "A table, a picker, a generator, a widget and the check each say what failed, and try again",
    async () => {
      await goTo(settings());
      await during({ what: /\/(fields|lookup|health|disable)\b/ }, async () => {
        await field("headers").getByText("Add row").click();
        await page.getByLabel("Headers, name, row 1").fill("Accept");
        await field("headers").getByText(failure).waitFor();
        await field("watchers").locator("input[id]").pressSequentially("al");
        await page.getByText("The search failed. Type again to retry.").waitFor();
        await page.keyboard.press("Escape");
        await press("Generate Hook secret");
        await field("hook_secret").getByText(failure).waitFor();
        await field("place").getByText("Seven").click();
        await field("place").getByText(failure).waitFor();
        await press("Check connection");
        await page.getByRole("alert").getByText(failure).last().waitFor();
        await press("Disable");
        await page.locator("main").getByText(failure).first().waitFor();
      });
      await field("watchers").locator("input[id]").fill("");
      await field("watchers").locator("input[id]").pressSequentially("ala");
      await page.getByRole("option", { name: "Alan" }).waitFor();
      await page.keyboard.press("Escape");
      await press("Save");
      await field("headers").getByText("Saved", { exact: true }).waitFor();
      // The widgets are rendered again after a save, and a click on the old markup does nothing.
      await visitor.untilIdle();
      await field("place").getByText("Seven").click();
      await field("place").getByText("Chosen: 7").waitFor();
      await press("Check connection");
      await page.getByText("The connection works.").waitFor();
      expectOnlyFailedLoads();
    },
  );

  nightlyTest("The test panel and the form of a new row keep what was typed", async () => {
    await goTo(`${settings()}?op=echo`);
    await input("text").fill("typed");
    await during({ what: /\/test$/, how: answer429 }, async () => {
      await press("Call");
      await page.getByText("Try again in 7 seconds").waitFor();
    });
    await press("Call");
    await page.getByRole("group", { name: "Result" }).getByText("typed").waitFor();
    await goTo("/manager/connectors/form/new");
    await page.getByLabel("Label").fill("Production");
    await during({ what: /\/rows$/, method: "POST" }, async () => {
      await press("Create and set up");
      await page.getByRole("alert").getByText(failure).waitFor();
    });
    expect(await page.getByLabel("Label").inputValue()).toBe("Production");
    expectOnlyFailedLoads();
  });

  nightlyTest(
    "A dialog says what failed, keeps what was typed, and works at the next try",
    async () => {
      await goTo("/admin/users");
      await press("Add a user");
      await page.getByRole("dialog").getByLabel("E-mail").fill("grace@example.com");
      await during({ what: /\/users$/, method: "POST" }, async () => {
        await inDialog("Add").click();
        await page.getByRole("dialog").getByText(failure).waitFor();
      });
      await inDialog("Add").click();
      await page.getByText("grace@example.com").first().waitFor();
      await goTo(settings());
      await press("Delete");
      await page.getByLabel("Type Form to confirm").fill("Form");
      await during({ what: /\/rows\/[^/]+$/, method: "DELETE" }, async () => {
        await inDialog("Delete").click();
        await page.getByRole("dialog").getByText(failure).waitFor();
        await checkAccessibility(visitor);
      });
      await inDialog("Cancel").click();
      expectOnlyFailedLoads();
    },
  );

  nightlyTest(
    "A list whose next page fails asks once, says so, and goes on with Retry",
    async () => {
      const one = Object((await api(`GET /manager/api/runs/${run}`)) as object);
      const toRuns = (from: number) =>
        Array.from({ length: 100 }, (_, at) => ({
          ...one,
          id: crypto.randomUUID(),
          at: from + at,
        }));
      let asked = 0;
      await page.route(/\/manager\/api\/runs\?/, (route) => {
        const isNext = new URL(route.request().url()).searchParams.has("before");
        if (isNext) asked += 1;
        if (isNext && asked === 1) return refuse(route);
        return route.fulfill({ json: { runs: toRuns(0), next: isNext ? null : run } });
      });
      await goTo("/manager/runs");
      await page.keyboard.press("End");
      await page.getByText("More calls could not be loaded.").waitFor();
      await page.keyboard.press("Home");
      await page.keyboard.press("End");
      await page.waitForLoadState("networkidle");
      expect(asked).toBe(1);
      await press("Retry");
      await page.getByText("200 calls", { exact: true }).waitFor();
      await page.unrouteAll({ behavior: "ignoreErrors" });
      expectOnlyFailedLoads();
    },
  );

  nightlyTest("The rows of a connector are asked for once more only by Retry", async () => {
    const found = await api<{ rows: object[] }>("GET /manager/api/rows?connector=form");
    let asked = 0;
    await page.route(/\/manager\/api\/rows\?/, (route) => {
      const isNext = new URL(route.request().url()).searchParams.has("after");
      if (!isNext) return route.fulfill({ json: { ...found, next: "more" } });
      asked += 1;
      return asked === 1
        ? refuse(route)
        : route.fulfill({ json: { ...found, rows: [], next: null } });
    });
    await goTo("/manager/connectors/form");
    await page.getByText("More rows could not be loaded.").waitFor();
    await page.waitForLoadState("networkidle");
    expect(asked).toBe(1);
    await press("Retry");
    await page.getByText("More rows could not be loaded.").waitFor({ state: "detached" });
    await page.unrouteAll({ behavior: "ignoreErrors" });
    expectOnlyFailedLoads();
  });

  nightlyTest(
    "Without the network the search and the sign-in say so, and the page stays as it is",
    async () => {
      const own = await app.open(settings());
      const typed = own.page.locator('[data-field="note"] input');
      await typed.fill("still here");
      await interceptRequests(own.page, /\/assets\//, (route) => route.abort());
      await own.page.keyboard.press("Control+k");
      await own.page.getByText("The search could not be loaded.").waitFor();
      await own.page.context().clearCookies({ name: "hub_session" });
      await own.page.getByRole("button", { name: "Save", exact: true }).click();
      await own.page.getByText("the sign-in could not be loaded").waitFor();
      await own.page.unrouteAll({ behavior: "ignoreErrors" });
      await own.page.getByRole("button", { name: "Retry" }).click();
      await own.page.fill("input[name=password]", app.admin.password);
      await own.page.click("[role=dialog] button[type=submit]");
      await own.page.locator('[data-field="note"]').getByText("Saved").waitFor();
      expect(await typed.inputValue()).toBe("still here");
      await own[Symbol.asyncDispose]();
    },
  );

  nightlyTest(
    "A session that ends is renewed in place above a test, a dialog and a table, and each goes on",
    async () => {
      const own = await app.open(`${settings()}?op=echo`);
      const { page } = own;
      const signIn = async () => {
        await page.fill("input[name=password]", app.admin.password);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.getByText("Sign in again").waitFor({ state: "detached" });
      };
      const end = () => page.context().clearCookies({ name: "hub_session" });
      await page.locator('[data-field="text"] input').fill("before the session ended");
      await end();
      await page.getByRole("button", { name: "Call", exact: true }).click();
      await signIn();
      await page.getByRole("group", { name: "Result" }).getByText("before the session").waitFor();

      await page.goto(`${app.base}/admin/users`);
      await page.getByRole("button", { name: "Add a user" }).click();
      await page.getByRole("dialog").getByLabel("E-mail").fill("late@example.com");
      await end();
      await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
      await signIn();
      await page.getByText("late@example.com").first().waitFor();

      await page.goto(`${app.base}${settings()}`);
      const table = page.locator('[data-field="labels"]');
      await table.getByText("Add row").click();
      await end();
      await page.getByLabel("Labels, value, row 1").fill("kept");
      await signIn();
      await table.getByText("Saved", { exact: true }).waitFor();
      const { groups } = await api<{ groups: Array<{ fields: Array<Record<string, unknown>> }> }>(
        `GET /manager/api/rows/${row}/settings`,
      );
      const fields = groups.flatMap((group) => group.fields);
      expect(fields.find(({ key }) => key === "labels")?.value).toBe('[{"value":"kept"}]');
      await own[Symbol.asyncDispose]();
    },
  );

  nightlyTest("A slow save cannot be sent twice, and what is typed meanwhile stays", async () => {
    await goTo(settings());
    const held = Promise.withResolvers<void>();
    let sent = 0;
    await interceptRequests(page, /\/rows\/[^/]+\/settings$/, async (route) => {
      if (route.request().method() === "PATCH") {
        sent += 1;
        await held.promise;
      }
      await route.continue();
    });
    await input("note").fill("first");
    await press("Save");
    await page.locator("button[data-loading]:has-text('Save')").waitFor();
    await page.locator("button[data-loading]:has-text('Save')").click({ force: true });
    await input("note").fill("second");
    held.resolve();
    await page.getByText("1 unsaved change").waitFor();
    await page.locator("button[data-loading]:has-text('Save')").waitFor({ state: "detached" });
    expect(sent).toBe(1);
    expect(await input("note").inputValue()).toBe("second");
    await press("Discard");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    expectOnlyFailedLoads();
  });
});
