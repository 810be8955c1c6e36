/** What an ordinary user gets in a browser: nothing of what is hidden from them, in any answer. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { apiRoutes } from "../../packages/server/src/http/api/api-routes.ts";
import { checkAccessibility, collectAnswers, visit } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");
/** Part of every name, tag, e-mail, value and param that is hidden from the user. */
const marker = "zebra";

describeApp({ title: "An ordinary user", toHubOptions: async () => ({ main }) }, (app) => {
  let ada: AppUser;
  let visible: string;
  let hidden: string;
  let hiddenRun: string;
  let ownRun: string;
  let shared: string;
  let secretFlow: string;

  beforeAll(async () => {
    const token = await app.hub.makeManageToken();
    const api = <T = { id: string }>(route: string, body?: unknown) =>
      callApi<T>(app.base, token, route, body);
    const addRow = async (label: string, tags: string[], note: string) => {
      const values = {
        base_url: `https://${marker}.example`,
        token: "s3cret-value-9fK2xQ7vLm4R",
        note,
      };
      const added = { connector: "form", label, tags, values };
      return (await api("POST /manager/api/rows", added)).id;
    };
    ada = await app.addUser("ada@example.com", { tags: ["team"] });
    await api("POST /admin/api/users", {
      email: `${marker}@example.com`,
      name: `Mrs ${marker}`,
      tags: [`${marker}-tag`, "team"],
    });
    visible = await addRow("Shared", ["team", `${marker}-tag`], `${marker} note`);
    hidden = await addRow(`The ${marker} row`, [`${marker}-tag`], "x");
    const addWorkflow = async (name: string, tags: string[]) => {
      const { id: workflow } = await api("POST /manager/api/workflows", {
        name,
        body: {
          triggers: [
            { id: "start", type: "manual", entry: "stop" },
            { id: "nightly", type: "cron", schedule: "0 0 3 * * *", entry: "stop" },
          ],
          nodes: [{ id: "stop", type: "fail", message: `The ${marker} has escaped.` }],
          settings: { env: { NOTE: marker } },
        },
      });
      const path = `/manager/api/workflows/${workflow}`;
      await api(`PUT ${path}/secrets/${marker.toUpperCase()}`, { value: `${marker} value` });
      await api(`POST ${path}/publish`, { revision: 1, note: `${marker} note` });
      await api(`PUT ${path}/tags`, { tags });
      await api(`POST ${path}/runs`, { payload: { text: marker }, wait_s: 10 });
      return workflow;
    };
    shared = await addWorkflow("Shared workflow", ["team", `${marker}-tag`]);
    secretFlow = await addWorkflow(`The ${marker} workflow`, [`${marker}-tag`]);
    const run = (row: string, text: string) =>
      api<{ run_id: string }>(`POST /manager/api/rows/${row}/operations/echo/test`, {
        params: { text },
      });
    hiddenRun = (await run(hidden, `${marker} param`)).run_id;
    await run(visible, `${marker} param of another user`);
    const created = await app.hub.cli("token", "create", "--user", ada.email, "--name", "Mine");
    const own = /hub_pat_[0-9a-f]{32}/.exec(created.stdout)?.[0] ?? "";
    await fetch(`${app.base}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${own}`, "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "hub_execute",
          arguments: { tool_id: `conn:${visible}/echo`, params: { text: "mine" } },
        },
      }),
    });
    const { runs } = await api<{ runs: Array<{ id: string; user: string }> }>(
      `GET /manager/api/rows/${visible}/runs`,
    );
    ownRun = runs.find(({ user }) => user === ada.email)?.id ?? "";
    expect(ownRun).not.toBe("");
  });

  test("No page, search, error or answer has anything that is hidden from them", async () => {
    await using visitor = await app.open("/", { as: ada });
    const { page } = visitor;
    const toAnswers = collectAnswers(page);
    const shown: string[] = [];
    const isHidden = new RegExp([marker, hidden, hiddenRun, secretFlow].join("|"));
    for (const path of [
      "/",
      "/manager/connectors",
      "/manager/add",
      "/manager/connectors?sort=errors&order=desc",
      "/manager/connectors/form",
      `/manager/connectors/form/${visible}`,
      `/manager/connectors/form/${visible}?tab=history`,
      `/manager/connectors/form/${visible}?op=echo`,
      `/manager/connectors/form/${hidden}`,
      "/manager/connectors/form/new",
      "/operations",
      "/operations?q=echo",
      `/operations?row=${hidden}`,
      "/operations?q=echo&view=model",
      `/operations/${visible}/echo`,
      `/operations/${visible}/echo?tab=model`,
      `/operations/${visible}/echo?tab=client`,
      `/operations/${hidden}/echo`,
      "/workflows",
      `/workflows?q=${marker}`,
      `/workflows/${shared}?tab=secrets`,
      `/workflows/${shared}?open=run`,
      `/workflows/${shared}/edit`,
      `/workflows/${secretFlow}`,
      `/workflows/${secretFlow}/edit`,
      "/manager/runs",
      `/manager/runs?user=${marker}`,
      `/manager/runs/${ownRun}`,
      `/manager/runs/${hiddenRun}`,
      `/admin/tags/${marker}-tag`,
      "/admin/users",
      "/profile",
      "/profile/tokens",
      "/profile/mcp",
      "/tools/encfields",
      "/tools/encfields/decrypt",
    ]) {
      // What is hidden from them is also loaded, as by a link that another user has sent.
      const isLoaded = !/^\/(manager|operations|workflows)\b/.test(path) || isHidden.test(path);
      if (isLoaded) await page.goto(`${app.base}${path}`);
      else await visit(visitor, path);
      await visitor.untilIdle();
      await page.locator("[aria-label=Loading]").first().waitFor({ state: "detached" });
      shown.push(await page.locator("main").innerText());
    }
    await page.goto(`${app.base}/`);
    await page.waitForSelector("h1");
    for (const typed of [marker, "Shared", "workflow", "echo", hiddenRun]) {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search" }).fill(typed);
      await page.waitForLoadState("networkidle");
      shown.push(await page.getByRole("listbox").innerText());
      await page.keyboard.press("Escape");
    }
    await checkAccessibility(visitor);
    const found = await toAnswers();
    expect(found.length).toBeGreaterThan(30);
    expect(found.filter(({ text }) => text.includes(marker))).toEqual([]);
    expect(shown.filter((text) => text.includes(marker))).toEqual([]);
    expect(found.filter(({ text }) => text.includes(hidden))).toEqual([]);
    const other = visitor.faults.filter((fault) => !fault.includes("Failed to load resource"));
    expect(other).toEqual([]);
  });

  test("The API refuses every action that the pages hide", async () => {
    await using visitor = await app.open("/", { as: ada });
    const routes = apiRoutes
      .filter(({ method, path }) => method !== "GET" && !path.startsWith("/profile/"))
      // Every user may write workflows of their own, and may be one of the approvers of a run or a call.
      .filter(({ path }) => !/^\/manager\/api\/(?:approvals|pending-calls)\//.test(path))
      // Every user calls what they see, and has accounts of their own.
      .filter(({ path }) => !/^\/manager\/api\/(?:operations\/calls|accounts)/.test(path))
      .filter(({ path }) => !/^\/manager\/api\/workflows(?:\/import|\/validate)?$/.test(path))
      .map(({ method, path }) => ({
        method,
        path: path
          .replace("{row}", visible)
          .replace("{run}", hiddenRun)
          .replace(/\{\w+\}/g, "form"),
      }));
    const answers = await visitor.page.evaluate<Array<{ status: number; text: string }>>(`
      (async () => {
        const { csrf_token } = await (await fetch("/profile/api/me")).json();
        const answers = [];
        for (const { method, path } of ${JSON.stringify(routes)}) {
          const headers = { "x-csrf-token": csrf_token, "content-type": "application/json" };
          const answer = await fetch(path, { method, headers, body: "{}" });
          answers.push({ status: answer.status, text: await answer.text() });
        }
        return answers;
      })()`);
    const taken = answers.flatMap(({ status, text }, at) =>
      [403, 404].includes(status) ? [] : [{ ...routes[at], status, text }],
    );
    expect(taken).toEqual([]);
    expect(answers.filter(({ text }) => text.includes(marker))).toEqual([]);
    const controls = ["Save", "Delete", "Disable", "New row", "Duplicate", "Call", "Reuse"];
    await visitor.page.goto(`${app.base}/manager/connectors/form/${visible}`);
    await visitor.page.waitForSelector("[role=tab]");
    for (const name of controls) {
      expect(await visitor.page.getByRole("button", { name }).count()).toBe(0);
    }
    expect(await visitor.page.getByRole("tab").allInnerTexts()).toEqual(["Operations", "History"]);
  });

  test("Widgets of the settings are on a tab of their own, which changes nothing, while the row lets users test", async () => {
    const token = await app.hub.makeManageToken();
    const read = () =>
      callApi<{ version: number; values?: unknown }>(
        app.base,
        token,
        `GET /manager/api/rows/${visible}/settings`,
      );
    const { version } = await read();
    await callApi(app.base, token, `PATCH /manager/api/rows/${visible}`, { version, tests: "tag" });
    await using visitor = await app.open("/", { as: ada });
    const { page } = visitor;
    const toAnswers = collectAnswers(page);
    const path = `/manager/connectors/form/${visible}?tab=widgets`;
    await page.goto(`${app.base}${path}`);
    const place = page.getByRole("group", { name: "Place" });
    await place.getByText("Chosen: none").waitFor();
    // The last line is not cut.
    const [whole, seen] = await place.evaluate<[number, number], unknown>(
      Object(new Function("one", "return [one.scrollHeight, one.clientHeight]")),
    );
    expect(whole).toBe(seen);
    const tabs = await page.getByRole("tab").allInnerTexts();
    expect(tabs).toEqual(["Operations", "Test", "Widgets", "History"]);
    await page.getByRole("group", { name: "Board" }).getByText("Nothing yet").waitFor();
    await checkAccessibility(visitor);
    const before = await read();
    // A choice would change the row.
    await place.getByText("Seven").click();
    await page.getByText("Only admins change the settings of a row.").waitFor();
    await place.getByText("Send").click();
    await place.locator("#sent").getByText('"town":"Bergen"').waitFor();
    expect(await read()).toEqual(before);
    await page.getByRole("button", { name: "Refresh Place" }).click();
    await place.getByText("Chosen: none").waitFor();
    expect(await page.locator("main").innerText()).not.toContain(marker);
    const found = await toAnswers();
    expect(found.length).toBeGreaterThan(3);
    expect(found.filter(({ text }) => text.includes(marker))).toEqual([]);
    const other = visitor.faults.filter((fault) => !fault.includes("Failed to load resource"));
    expect(other).toEqual([]);
    const changed = { version: before.version, tests: "admins" };
    await callApi(app.base, token, `PATCH /manager/api/rows/${visible}`, changed);
    await page.goto(`${app.base}${path}`);
    await page.waitForSelector("[role=tab]");
    expect(await page.getByRole("tab").allInnerTexts()).toEqual(["Operations", "History"]);
  });
});
