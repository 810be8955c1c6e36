/**
 * The inspector of the canvas in a real browser: pulled wide, with the values of the last run, which are mapped
 * to fields by clicks, by keyboard alone, and by drags.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { checkAccessibility, checkDarkPhone, checkSchemes } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");

type Node = { id: string; params?: Record<string, unknown>; [field: string]: unknown };
type Detail = { body: { nodes: Node[]; edges?: unknown[] } };

/** The value that each input of the operation gets, by its name in the tree. */
const mapped = [
  { label: "Text", value: "x-key", key: "text", saved: '{{index .Node.order "x-key"}}' },
  { label: "Times", value: "id", key: "times", saved: "{{.Node.order.id}}" },
  { label: "Loud", value: "paid", key: "loud", saved: "{{.Node.order.paid}}" },
  { label: "Extra", value: "lines", key: "extra", saved: "{{.Node.order.lines}}" },
  { label: "Kind", value: "kind", key: "kind", saved: "{{.Node.order.kind}}" },
  { label: "Members", value: "people", key: "members", saved: "{{.Node.order.people}}" },
];
const savedParams = Object.fromEntries(mapped.map(({ key, saved }) => [key, saved]));

const order = {
  id: 7,
  "x-key": "k",
  paid: true,
  kind: "short",
  lines: [{ sku: "a" }],
  people: [{ id: "1" }],
};

describeApp({ title: "The values on the canvas", toHubOptions: async () => ({ main }) }, (app) => {
  let token: string;
  let echo: string;

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    const values = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R" };
    const given = { connector: "form", label: "Shared", values, tags: ["everyone"] };
    echo = `conn:${(await api<{ id: string }>("POST /manager/api/rows", given)).id}/echo`;
  });

  const api = <T = Record<string, unknown>>(route: string, body?: unknown) =>
    callApi<T>(app.base, token, route, body);
  const create = async (hasRun = true) => {
    const body = {
      triggers: [{ id: "hand", type: "manual", entry: "order" }],
      nodes: [
        { id: "order", type: "set", label: "Order", value: order },
        { id: "send", type: "operation", label: "Send", tool_id: echo, params: { text: "a" } },
        { id: "next", type: "set", label: "Next", value: { before: 1 } },
      ],
      edges: [
        { from: "order", to: "send" },
        { from: "send", to: "next" },
      ],
      layout: { hand: [0, 0], order: [240, 0], send: [480, 0], next: [720, 0] },
      settings: { env: { REGION: "north" } },
    };
    const made = { name: "Values", body };
    const { id } = await api<{ id: string }>("POST /manager/api/workflows", made);
    const started = { draft: true, wait_s: 20, payload: { n: 42 } };
    if (hasRun) await api(`POST /manager/api/workflows/${id}/runs`, started);
    return id;
  };
  const readSaved = async (page: Page, id: string, node: string) => {
    await page.keyboard.press("Control+s");
    await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
    const { body } = await api<Detail>(`GET /manager/api/workflows/${id}`);
    return body.nodes.find((one) => one.id === node);
  };
  const inspector = (page: Page) => page.locator("[data-inspector]");
  const value = (page: Page, name: string) =>
    page.locator(`[data-values] [data-name=${JSON.stringify(name)}]`);
  const valuesOf = (page: Page, label: string) =>
    inspector(page).getByRole("button", { name: `Values for ${label}`, exact: true });

  nightlyTest(
    "Every input of an operation is mapped by clicks alone, and the graph does not move",
    async () => {
      const id = await create();
      await using visitor = await app.open(`/workflows/${id}/edit?node=send`, { width: 1920 });
      const { page } = visitor;
      await visitor.untilIdle();
      const before = await page.locator('[data-item="send"]').boundingBox();
      await page.getByRole("button", { name: "Make the inspector wide" }).click();
      await page.getByRole("heading", { name: "Values of the last run" }).waitFor();
      expect(await page.locator('[data-item="send"]').boundingBox()).toEqual(before);
      for (const { label, value: name } of mapped) {
        await valuesOf(page, label).click();
        // A click on a list or an object opens it, so each has a button, too.
        const whole = page.getByTitle(`Insert ${name} as a whole`);
        await ((await whole.count()) > 0 ? whole : value(page, name)).click();
        const toggle = page.getByRole("group", { name: `${label}: fixed or expression` });
        await toggle.getByRole("button", { name: "Expression", pressed: true }).waitFor();
      }
      expect((await readSaved(page, id, "send"))?.params).toEqual(savedParams);
      // The width is remembered.
      await page.reload();
      await page.getByRole("heading", { name: "Output in the last run" }).waitFor();
      await checkSchemes(visitor);
      expect(visitor.faults).toEqual([]);
    },
  );

  test("Every input of an operation is mapped by keyboard alone", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit?node=send`, { width: 1440 });
    const { page } = visitor;
    await visitor.untilIdle();
    const tabTo = async (name: string) => {
      for (let at = 0; at < 80; at += 1) {
        await page.keyboard.press("Tab");
        const text = await page.evaluate<string>(
          "document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? ''",
        );
        if (text === name) return;
      }
      throw new Error(`Tab does not reach ${name}.`);
    };
    await tabTo("Width of the inspector");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Values of the last run" }).waitFor();
    for (const { label, value: name } of mapped) {
      await tabTo(`Values for ${label}`);
      await page.keyboard.press("Enter");
      await page.locator("[data-values] [role=tree]:focus").waitFor();
      // The tree keeps its place, so a letter leads to the next name that begins with it.
      await page.keyboard.press("Home");
      await page.keyboard.press("o");
      for (let at = 0; at < 4; at += 1) {
        await page.keyboard.press(name.slice(0, 1));
        const active = await page.locator("[data-values] [data-active]").innerText();
        if (active.includes(name)) break;
      }
      await page.keyboard.press("Enter");
      const toggle = page.getByRole("group", { name: `${label}: fixed or expression` });
      await toggle.getByRole("button", { name: "Expression", pressed: true }).waitFor();
    }
    expect((await readSaved(page, id, "send"))?.params).toEqual(savedParams);
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest(
    "A value is dragged on a field, and inserted in JSON where the user was",
    async () => {
      const id = await create();
      await using visitor = await app.open(`/workflows/${id}/edit?node=send`, { width: 1440 });
      const { page } = visitor;
      await page.getByRole("button", { name: "Make the inspector wide" }).click();
      await value(page, "id").dragTo(inspector(page).getByRole("spinbutton", { name: "Times" }));
      await inspector(page).getByText("= 7", { exact: false }).waitFor();
      expect((await readSaved(page, id, "send"))?.params).toEqual({
        text: "a",
        times: "{{.Node.order.id}}",
      });
      await page.locator('[data-item="next"]').click();
      const json = inspector(page).getByRole("textbox", { name: "Value" });
      await json.fill('{"before": 1, "after": }');
      await page.keyboard.press("ArrowLeft");
      await value(page, "Text").click();
      const saved = await readSaved(page, id, "next");
      expect(saved?.value).toEqual({ before: 1, after: "{{.Node.send.Text}}" });
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "In a narrow inspector each field opens the values, and the edge is pulled by keys",
    async () => {
      const id = await create();
      await using visitor = await app.open(`/workflows/${id}/edit?node=send`, { width: 1440 });
      const { page } = visitor;
      await valuesOf(page, "Text").click();
      const panel = page.getByRole("dialog", { name: "Values" });
      await checkAccessibility(visitor);
      await panel.getByRole("treeitem").getByText("x-key", { exact: true }).click();
      await panel.waitFor({ state: "detached" });
      await inspector(page).getByText("= k", { exact: false }).waitFor();
      const edge = page.getByRole("separator", { name: "Width of the inspector" });
      const widthOf = async () => Number(await edge.getAttribute("aria-valuenow"));
      const before = await widthOf();
      await edge.press("ArrowLeft");
      expect(await widthOf()).toBe(before + 32);
      await edge.dblclick();
      await page.getByRole("heading", { name: "Values of the last run" }).waitFor();
      await edge.press("Enter");
      await page
        .getByRole("heading", { name: "Values of the last run" })
        .waitFor({ state: "detached" });
      await checkDarkPhone(visitor);
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "The values stay open, within the window and with their lines in them, when their field leaves the view",
    async () => {
      const id = await create();
      const draft = await api<Detail>(`GET /manager/api/workflows/${id}`);
      const ask = {
        id: "ask",
        type: "approval",
        title: "Go?",
        values: [{ label: "Id", value: "" }],
      };
      const body = { ...draft.body, nodes: [...draft.body.nodes, ask] };
      const edges = [...(draft.body.edges ?? []), { from: "send", to: "ask" }];
      await api(`PUT /manager/api/workflows/${id}/draft`, {
        revision: 1,
        body: { ...body, edges },
      });
      await using visitor = await app.open(`/workflows/${id}/edit?node=ask`, { width: 1440 });
      const { page } = visitor;
      await page.setViewportSize({ width: 1440, height: 560 });
      await valuesOf(page, "Value 1: value").click();
      const panel = page.getByRole("dialog", { name: "Values" });
      await panel.getByRole("treeitem").first().waitFor();
      // As what the hub says of the draft moves it, above the field.
      const button = await valuesOf(page, "Value 1: value").elementHandle();
      await button?.evaluate((one) => {
        for (let at = one.parentElement; at !== null; at = at.parentElement) at.scrollTop = 0;
      });
      const isAway = `document.querySelector("[data-inspector] [data-field=values] button").getBoundingClientRect().top > 560`;
      expect(await page.evaluate<boolean>(isAway)).toBe(true);
      await visitor.untilIdle();
      const box = await panel.boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(560);
      const last = panel.getByRole("treeitem").last();
      await last.scrollIntoViewIfNeeded();
      const line = await last.boundingBox();
      expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThan((box?.y ?? 0) + (box?.height ?? 0));
      await value(page, "n").click();
      const saved = await readSaved(page, id, "ask");
      expect(saved?.values).toEqual([{ label: "Id", value: "{{.Event.Payload.n}}" }]);
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "Without a run the tree has names and types, and a button that runs the draft",
    async () => {
      const id = await create(false);
      await using visitor = await app.open(`/workflows/${id}/edit?node=send`, { width: 1440 });
      const { page } = visitor;
      await page.getByRole("button", { name: "Make the inspector wide" }).click();
      await page.getByRole("heading", { name: "Values, no run yet" }).waitFor();
      await valuesOf(page, "Text").click();
      await value(page, "kind").click();
      expect((await readSaved(page, id, "send"))?.params).toEqual({ text: "{{.Node.order.kind}}" });
      await page.getByRole("button", { name: "Run it once" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("heading", { name: "Values of the last run" }).waitFor();
      await page
        .getByRole("tree", { name: "Output in the last run" })
        .getByText("text", { exact: true })
        .first()
        .waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );
});
