/**
 * The table of connections in a real browser: states as the API says them, order and filters in the
 * address, changes of many rows, and what ordinary users get. The API of rows is a small one of this file,
 * so that each state and each failure is there at once. The last tests have real rows in each state, on every
 * page that shows it.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type RowStateName, rowStateNameSchema } from "@hub/contract/row-state.ts";
import { rowStateTexts } from "@hub/contract/row-state-texts.ts";
import type { Page, Route } from "playwright-core";
import {
  nightlyDescribe,
  nightlyTest,
} from "../../packages/server/src/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import { checkAccessibility, checkPages, checkSchemes } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const list = "/manager/connectors";
const names = rowStateNameSchema.options;
const toId = (at: number) => `00000000-0000-7000-8000-${String(at).padStart(12, "0")}`;

function toRow(at: number, name: RowStateName, isAdmin: boolean) {
  return {
    id: toId(at),
    connector: at % 2 === 0 ? "http" : "hub",
    connector_name: at % 2 === 0 ? "HTTP" : "Hub",
    label: `Row ${String(at).padStart(4, "0")}`,
    description: "",
    tags: ["team"],
    tests: "admins",
    disabled: name === "disabled",
    disabled_type: false,
    // The pages must not make a state of their own from it.
    missing: ["base_url"],
    version: 1,
    created_at: "2026-11-20T09:00:00.000Z",
    updated_at: "2026-11-20T09:00:00.000Z",
    state: {
      name,
      since: name === "ready" ? null : "2026-11-20T09:00:00.000Z",
      reason: name === "ready" ? null : `The reason of ${name}.`,
      ...(name === "needs_review" && isAdmin && { waiting: 12 }),
      fix: isAdmin && name !== "ready" ? { text: "Mend it", path: `/admin/health` } : null,
    },
    activity: isAdmin
      ? { calls: 10 * at, errors: at, p95_ms: 850, last_call_at: "2026-11-20T09:00:00.000Z" }
      : null,
    operations_enabled: 17,
  };
}

/** Answers the API of rows, and keeps what was asked. */
async function answerRows(page: Page, { total = names.length, isAdmin = true } = {}) {
  const asked: URLSearchParams[] = [];
  const changes: Array<{ rows: string[]; do: string; tag?: string }> = [];
  const all = Array.from({ length: total }, (_, at) =>
    toRow(at, names[at % names.length] ?? "ready", isAdmin),
  );
  await page.route(/\/manager\/api\/rows\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    asked.push(query);
    const state = query.get("state");
    const matching = all.filter((row) => state === null || row.state.name === state);
    if (query.get("order") === "desc") matching.reverse();
    const from = Number(query.get("after") ?? 0);
    const end = from + Number(query.get("limit"));
    const byState = names.map((name) => [
      name,
      all.filter((row) => row.state.name === name).length,
    ]);
    const json = {
      rows: matching.slice(from, end),
      next: end < matching.length ? String(end) : null,
      total,
      by_state: Object.fromEntries(byState),
    };
    return route.fulfill({ json });
  });
  await page.route("**/manager/api/rows/bulk", (route: Route) => {
    const body = route.request().postDataJSON();
    changes.push(body);
    const [first, ...done] = body.rows;
    const failed = [{ id: first, label: "Row <b>0</b>", error: "It was deleted." }];
    // The last one was so before.
    const unchanged = body.do === "disable" ? done.slice(-1) : [];
    return route.fulfill({ json: { done, unchanged, failed } });
  });
  return { asked, changes };
}

describeApp({ title: "The table of connections" }, (app) => {
  const line = (page: Page, at: number) =>
    page.locator("[role=row]", { hasText: `Row ${String(at).padStart(4, "0")}` });
  const pick = (page: Page, at: number) => line(page, at).locator("input[type=checkbox]");

  async function open(options: Parameters<typeof answerRows>[1] = {}, search = "") {
    const visitor = await app.open("/manager/runs", { width: 1920 });
    const api = await answerRows(visitor.page, options);
    await visitor.page.goto(`${app.base}${list}${search}`);
    await visitor.page.waitForSelector("[role=row] >> text=Row 0");
    return { ...visitor, ...api };
  }

  test("Each of the eight states is shown as the API says it, with its reason and where it is mended", async () => {
    await using visitor = await open();
    const { page, asked, faults } = visitor;
    expect(names).toHaveLength(8);
    for (const [at, name] of names.entries()) {
      const state = line(page, at).locator(`[data-row-state=${name}]`);
      const count = name === "needs_review" ? " (12)" : "";
      expect(await state.innerText()).toBe(`${rowStateTexts[name]}${count}`);
      expect(await state.locator("svg").count()).toBe(1);
      const link = line(page, at).locator("a[href='/admin/health']");
      expect(await link.count()).toBe(name === "ready" ? 0 : 1);
      if (name !== "ready") expect(await link.innerText()).toContain(`The reason of ${name}.`);
      await page.locator(`[aria-label=State] [data-row-state=${name}]`).waitFor();
    }
    await line(page, 4).locator("a[href='/admin/health']").focus();
    await page.getByRole("tooltip").getByText("Mend it.").waitFor();
    // One request for all rows, and none for a line.
    expect(asked).toHaveLength(1);
    await checkAccessibility(visitor);
    await line(page, 4).locator("a[href='/admin/health']").click();
    await page.waitForURL(`${app.base}/admin/health`);
    expect(faults).toEqual([]);
  });

  nightlyTest("Order and filters stand in the address, and a link opens them", async () => {
    await using visitor = await open({}, "?sort=errors&state=failing&q=row&tag=team");
    const { page, asked } = visitor;
    expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject({
      sort: "errors",
      order: "desc",
      state: "failing",
      q: "row",
      tag: "team",
    });
    const sorted = page.locator("[role=columnheader][aria-sort=descending]");
    expect(await sorted.innerText()).toBe("Errors");
    await page.locator("[role=columnheader] button", { hasText: "Calls" }).click();
    await page.waitForURL(/sort=calls/);
    expect(page.url()).toContain("order=desc");
    await page.locator("[role=columnheader] button", { hasText: "Calls" }).click();
    await page.locator("[role=columnheader][aria-sort=ascending]", { hasText: "Calls" }).waitFor();
    expect(page.url()).toContain("order=asc");
    await page.locator("[aria-label=State] button", { hasText: "Refused" }).click();
    await page.waitForURL(/state=refused/);
    await page.click("text=Clear filters");
    await page.waitForURL(`${app.base}${list}`);
    await line(page, 0).waitFor();
    expect(Object.fromEntries(asked.at(-1) ?? [])).toEqual({ sort: "label", limit: "100" });
  });

  nightlyTest("Columns are chosen, and the choice stays in this browser", async () => {
    await using visitor = await open();
    const { page } = visitor;
    const header = page.locator("[role=columnheader]", { hasText: "p95" });
    await header.waitFor();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "p95" }).waitFor();
    await checkSchemes(visitor);
    await page.getByRole("checkbox", { name: "p95" }).uncheck();
    await header.waitFor({ state: "detached" });
    await page.reload();
    await line(page, 0).waitFor();
    expect(await header.count()).toBe(0);
  });

  nightlyTest(
    "Chosen rows are changed together: a range by Shift, what failed by its label, and Undo",
    async () => {
      await using visitor = await open();
      const { page, changes } = visitor;
      await pick(page, 1).click();
      await pick(page, 4).click({ modifiers: ["Shift"] });
      await pick(page, 2).click();
      const bar = page.getByRole("group", { name: "Chosen rows" });
      await pick(page, 5).click();
      await bar.getByText("4 chosen").waitFor();
      await checkSchemes(visitor);
      await bar.getByRole("button", { name: "Disable" }).click();
      const failed = page.getByRole("alert").filter({ hasText: "1 row could not be changed" });
      expect(await failed.locator("li").innerText()).toBe("Row <b>0</b>: It was deleted.");
      await page.getByText("3 rows are disabled.").waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("1 row is enabled.").waitFor();
      expect(changes).toEqual([
        { do: "disable", rows: [toId(1), toId(3), toId(4), toId(5)] },
        { do: "enable", rows: [toId(3), toId(4)] },
      ]);
      await pick(page, 5).click();
      await bar.getByRole("button", { name: "Add tag" }).click();
      await page.getByRole("dialog").getByLabel("Tag").fill("Ops");
      await checkSchemes(visitor);
      await page.getByRole("dialog").getByRole("button", { name: "Add tag" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await pick(page, 6).click();
      await bar.getByRole("button", { name: "Approve reads" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Approve" }).waitFor();
      await checkSchemes(visitor);
      await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(changes.slice(2)).toEqual([
        { do: "add_tag", tag: "ops", rows: [toId(5)] },
        { do: "approve_reads", rows: [toId(6)] },
      ]);
    },
  );

  nightlyTest(
    "Of 5,053 rows one page is read, the others as one scrolls, and all that match are changed by portions",
    async () => {
      await using visitor = await open({ total: 5053 });
      const { page, asked, changes } = visitor;
      await page.getByText("5,053 rows").waitFor();
      expect(asked).toHaveLength(1);
      expect(await page.locator("[data-index]").count()).toBeLessThan(100);
      await page.getByLabel("Choose all loaded rows").click();
      await page.getByText("100 chosen").waitFor();
      await page.getByRole("button", { name: "Choose all 5,053 that match" }).click();
      await pick(page, 3).click();
      await page.getByText("5,052 chosen").waitFor();
      await page.getByRole("group", { name: "Chosen rows" }).getByText("Enable").click();
      await page.getByText("11 rows could not be changed").waitFor();
      expect(changes.map(({ rows }) => rows.length)).toEqual([...Array(10).fill(500), 52]);
      expect(changes.flatMap(({ rows }) => rows)).not.toContain(toId(3));
    },
  );

  test("Ordinary users get neither figures nor ways to change rows, and are told if nothing is shared", async () => {
    const ada = await app.addUser("ada@example.com", { tags: ["team"] });
    await using visitor = await app.open("/manager/runs", { as: ada, width: 1920 });
    const { page } = visitor;
    await page.route(/\/manager\/api\/rows\?/, (route) =>
      route.fulfill({ json: { rows: [], next: null, total: 0, by_state: {} } }),
    );
    await page.goto(`${app.base}${list}`);
    await page.getByText("Nothing is shared with you yet").waitFor();
    await checkAccessibility(visitor);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await answerRows(page, { isAdmin: false });
    await page.reload();
    await line(page, 0).waitFor();
    const headers = await page.locator("[role=columnheader]").allInnerTexts();
    expect(headers).toEqual(["Label", "Connector", "State", "Tags", "Operations on"]);
    expect(await page.locator("main input[type=checkbox]").count()).toBe(0);
    expect(await page.locator("main").innerText()).not.toContain("Add a connection");
    await page.click("text=Browse the catalog");
    await page.getByText("An admin adds connections").waitFor();
    expect(await page.locator("[aria-label='Ways to add a connection']").count()).toBe(0);
  });

  nightlyTest(
    "Addresses of the catalog lead to it, and a search that finds no row too",
    async () => {
      await using visitor = await app.open(`${list}?show=builtin&q=http`);
      const { page, faults } = visitor;
      await page.waitForURL(/\/manager\/add\?/);
      await page.waitForSelector("[data-connector=http]");
      expect(await page.inputValue("input[aria-label='Search connectors']")).toBe("http");
      await page.selectOption("select[aria-label=Category]", "chat");
      await page.waitForURL(/category=chat/);
      await page.getByText("No connector matches").waitFor();
      await page.goto(`${app.base}${list}?q=telegram`);
      await page.getByText("Search the catalog for").click();
      await page.waitForSelector("[data-connector=telegram]");
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "The three doors lead on, by the keyboard too, and nothing in a card is cut",
    async () => {
      await using visitor = await app.open(list);
      const { page } = visitor;
      await page.getByRole("link", { name: "Add a connection" }).click();
      await page.waitForSelector("[data-connector=http]");
      const doors = page.getByRole("list", { name: "Ways to add a connection" });
      expect(
        await doors
          .getByRole("link")
          .evaluateAll(
            Object(new Function("all", "return all.map((one) => one.getAttribute('href'))")),
          ),
      ).toEqual(["/manager/add/api", "/manager/import"]);
      await doors.getByRole("button").focus();
      await page.keyboard.press("Enter");
      await page.waitForSelector("input[aria-label='Search connectors']:focus");
      const cut = await page.evaluate<string[]>(`
      [...document.querySelectorAll("[data-connector] > p")].filter((one) => {
        const line = Number.parseFloat(getComputedStyle(one).lineHeight);
        return Math.abs(one.clientHeight / line - Math.round(one.clientHeight / line)) > 0.1;
      }).map((one) => one.textContent)`);
      expect(cut).toEqual([]);
      await checkPages(visitor, [list, "/manager/add"]);
    },
  );

  nightlyDescribe("Real rows", () => {
    type RealRow = {
      id: string;
      connector: string;
      state: {
        name: RowStateName;
        reason: string | null;
        fix: { text: string; path: string } | null;
      };
    };
    const words = "words-of-the-outside-system";
    const servers: Array<Bun.Server<undefined>> = [];
    const real = new Map<RowStateName, RealRow>();
    let eve: AppUser;
    let eveId: string;
    const toLabel = (name: RowStateName) => `Real ${name}`;

    beforeAll(async () => {
      const token = await app.hub.makeManageToken();
      const api = <T = { id: string }>(route: string, body?: unknown) =>
        callApi<T>(app.base, token, route, body);
      eve = await app.addUser("eve@example.com", { tags: ["real"] });
      const { users } = await api<{ users: Array<{ id: string; email: string }> }>(
        "GET /admin/api/users",
      );
      eveId = users.find(({ email }) => email === eve.email)?.id ?? "";
      const serve = (status: number) => {
        const fetch = () => new Response(words, { status });
        const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
        servers.push(server);
        return server;
      };
      const add = async (name: RowStateName, port: number | null, connector = "http") => {
        const values = port === null ? {} : { base_url: `http://127.0.0.1:${port}` };
        const body = { connector, label: toLabel(name), values, tags: ["real"] };
        return (await api("POST /manager/api/rows", body)).id;
      };
      const call = async (id: string) => {
        const route = `POST /manager/api/rows/${id}/operations/get/test`;
        // Most of them fail, as they are to.
        for (let count = 0; count < 5; count += 1) {
          await Promise.allSettled([api(route, { params: { path: "/" } })]);
        }
      };
      const works = serve(200).port ?? 0;
      await add("unused", works);
      await api(`POST /manager/api/rows/${await add("disabled", works)}/disable`);
      await add("needs_setup", null);
      const document = JSON.stringify({
        openapi: "3.0.0",
        info: { title: "Shop", version: "1" },
        paths: { "/orders": { get: { operationId: "list" }, delete: { operationId: "wipe" } } },
      });
      const discover = `/manager/api/rows/${await add("needs_review", works, "openapi")}/discover`;
      await api(`POST ${discover}`, { document });
      const gone = serve(200);
      await gone.stop(true);
      await call(await add("unreachable", gone.port ?? 0));
      await call(await add("refused", serve(401).port ?? 0));
      await call(await add("failing", serve(500).port ?? 0));
      await call(await add("ready", works));
      // The hub counts calls by a job of every few seconds.
      await waitFor(async () => {
        await Bun.sleep(300);
        const { rows } = await api<{ rows: Array<RealRow & { label: string }> }>(
          "GET /manager/api/rows?tag=real",
        );
        for (const row of rows)
          if (row.label === toLabel(row.state.name)) real.set(row.state.name, row);
        return real.size === names.length;
      });
    });
    afterAll(() => Promise.all(servers.map((server) => server.stop(true))));

    /** The word of each state as the lists of rows on the open page show it. */
    async function readStates(page: Page, some = names): Promise<Record<string, string>> {
      const shown: Record<string, string> = {};
      for (const name of some) {
        const found = page.locator("[role=row], tr", { hasText: toLabel(name) }).first();
        shown[name] = await found.locator("[data-row-state]").first().innerText();
      }
      return shown;
    }
    const toWords = (isAdmin: boolean) =>
      Object.fromEntries(
        names.map((name) => [
          name,
          `${rowStateTexts[name]}${name === "needs_review" && isAdmin ? " (2)" : ""}`,
        ]),
      );
    const toPath = ({ connector, id }: RealRow) => `${list}/${connector}/${id}`;
    /** Of the rows of the connector http: all but the one that waits for a review. */
    const isHttp = (name: string) => name !== "needs_review";
    const onlyHttp = (given: Record<string, string>) =>
      Object.fromEntries(Object.entries(given).filter(([name]) => isHttp(name)));

    /** What the palette says of each row. */
    async function readPalette(page: Page): Promise<Record<string, string>> {
      const shown: Record<string, string> = {};
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search" }).fill("Real ");
      for (const name of names) {
        await page.getByRole("combobox", { name: "Search" }).fill(toLabel(name));
        const option = page
          .getByRole("option", { name: "Row of" })
          .filter({ hasText: toLabel(name) });
        shown[name] = (await option.first().innerText()).replace(/^.*Row of \w+, /s, "");
      }
      await page.keyboard.press("Escape");
      return shown;
    }
    const lower = Object.fromEntries(
      names.map((name) => [name, rowStateTexts[name].toLowerCase()]),
    );

    test("Real rows in the eight states have the same word on every page of an admin, and a way to mend each", async () => {
      await using visitor = await app.open(`${list}?tag=real`, { width: 1920 });
      const { page, faults } = visitor;
      expect(await readStates(page)).toEqual(toWords(true));
      await page.goto(`${app.base}${list}/http`);
      await page.getByText(toLabel("ready"), { exact: true }).waitFor();
      expect(await readStates(page, names.filter(isHttp))).toEqual(onlyHttp(toWords(true)));
      expect(await readPalette(page)).toEqual(lower);
      await page.goto(`${app.base}/admin/users/${eveId}`);
      await page.getByText("What this user sees").waitFor();
      await page.getByText(toLabel("ready"), { exact: true }).waitFor();
      expect(await readStates(page)).toEqual(toWords(true));
      await page.goto(`${app.base}/admin/health`);
      for (const name of names) {
        const line = page
          .getByRole("listitem")
          .filter({ has: page.locator(`a[href$="?state=${name}"]`) });
        expect(await line.innerText()).toContain(rowStateTexts[name]);
      }
      await page.goto(`${app.base}/`);
      const more = page.getByRole("button", { name: /^Show more/ });
      await page.getByText("Needs attention").waitFor();
      if (await more.isVisible()) await more.click();
      for (const name of [
        "needs_setup",
        "needs_review",
        "unreachable",
        "refused",
        "failing",
      ] as const) {
        const line = page.getByRole("listitem").filter({ hasText: toLabel(name) });
        expect(await line.first().innerText()).toContain(rowStateTexts[name]);
        expect(await line.first().innerText()).toContain(
          real.get(name)?.state.reason ?? "no reason",
        );
      }
      for (const [name, row] of real) {
        // The tabs that mend a state say why themselves.
        await page.goto(`${app.base}${toPath(row)}?tab=history`);
        const badge = page.locator(`main [data-row-state=${name}]`).first();
        expect(await badge.innerText()).toBe(toWords(true)[name] ?? "");
        const { reason, fix } = row.state;
        if (reason !== null) await page.getByRole("alert").filter({ hasText: reason }).waitFor();
        if (fix === null) continue;
        // What is mended on this page has its button, and no link to where one is.
        if (fix.path === toPath(row)) {
          await page.getByRole("button", { name: "Enable", exact: true }).waitFor();
          continue;
        }
        await page.getByRole("alert").getByRole("link", { name: fix.text, exact: true }).click();
        const { pathname, searchParams } = new URL(fix.path, app.base);
        await page.waitForURL((url) => url.pathname === pathname);
        await page.getByRole("heading", { name: toLabel(name), level: 1 }).waitFor();
        const tab = searchParams.get("tab") ?? "settings";
        await page.getByRole("tab", { name: new RegExp(`^${tab}`, "i"), selected: true }).waitFor();
      }
      expect(faults).toEqual([]);
    });

    test("A user has the same words, without reasons from outside and without figures", async () => {
      await using visitor = await app.open(list, { as: eve, width: 1920 });
      const { page, faults } = visitor;
      const texts: string[] = [];
      const readMain = async () => void texts.push(await page.locator("main").innerText());
      expect(await readStates(page)).toEqual(toWords(false));
      await readMain();
      await page.goto(`${app.base}${list}/http`);
      await page.getByText(toLabel("ready"), { exact: true }).waitFor();
      expect(await readStates(page, names.filter(isHttp))).toEqual(onlyHttp(toWords(false)));
      await readMain();
      expect(await readPalette(page)).toEqual(lower);
      for (const [name, row] of real) {
        await page.goto(`${app.base}${toPath(row)}`);
        const badge = page.locator(`main [data-row-state=${name}]`).first();
        expect(await badge.innerText()).toBe(toWords(false)[name] ?? "");
        expect(await page.getByRole("alert").count()).toBe(name === "ready" ? 0 : 1);
        expect(await page.getByRole("alert").getByRole("link").count()).toBe(0);
        await readMain();
      }
      await page.goto(`${app.base}/`);
      await page.getByText("Needs attention").waitFor();
      for (const name of ["unreachable", "refused", "failing"] as const) {
        const line = page.getByRole("listitem").filter({ hasText: toLabel(name) });
        expect(await line.first().innerText()).toContain(rowStateTexts[name]);
      }
      await readMain();
      for (const text of texts) {
        expect(text).not.toContain(words);
        expect(text).not.toMatch(/127\.0\.0\.1|\b401\b|\b500\b|5 of 5|\(2\)|base_url/);
      }
      expect(faults).toEqual([]);
    });
  });
});
