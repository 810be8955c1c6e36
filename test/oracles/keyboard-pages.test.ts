/** The pages by keyboard, at twice the size, and without motion. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");
const stopsMax = 60;

/** What the keyboard reaches: its name, and whether its focus can be seen. */
const readFocus = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return null;
  const has = ({ outlineStyle, outlineWidth, boxShadow, borderColor }) =>
    [outlineStyle !== "none" && outlineWidth !== "0px", boxShadow, borderColor].join();
  const parts = [one, one.parentElement, one.nextElementSibling].filter(Boolean);
  // A link that covers its card has its ring there.
  const read = () => [...parts.map((part) => getComputedStyle(part)), getComputedStyle(one, "::after")]
    .map(has).join(" ");
  const focused = read();
  one.blur();
  const plain = read();
  one.focus();
  const labels = [...(one.labels ?? [])].map((label) => label.textContent).join(" ");
  const named = (one.getAttribute("aria-labelledby") ?? "").split(" ")
    .map((id) => document.getElementById(id)?.textContent ?? "").join("");
  const name = [one.getAttribute("aria-label"), named, labels, one.textContent, one.title]
    .find((text) => (text ?? "").trim() !== "") ?? "";
  return { html: one.outerHTML.slice(0, 120), name: name.trim(), isSeen: focused !== plain };
})()`;

async function listStops(page: Page) {
  const stops: Array<{ html: string; name: string; isSeen: boolean }> = [];
  for (let at = 0; at < stopsMax; at += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate<(typeof stops)[number] | null>(readFocus);
    if (stop === null) break;
    stops.push(stop);
  }
  return stops;
}

describeApp({ title: "The pages by keyboard", toHubOptions: async () => ({ main }) }, (app) => {
  let row: string;
  let workflow: string;
  beforeAll(async () => {
    const token = await app.hub.makeManageToken();
    const made = await callApi(app.base, token, "POST /manager/api/rows", {
      connector: "form",
      label: "Production",
      tags: ["team"],
    });
    row = String(made.id);
    const drawn = await callApi(app.base, token, "POST /manager/api/workflows", {
      name: "Report",
      body: {
        triggers: [{ id: "start", type: "manual", entry: "one" }],
        nodes: [{ id: "one", type: "set", value: 1 }],
      },
    });
    workflow = String(drawn.id);
  });

  nightlyTest("Everything that Tab reaches has a name and shows its focus", async () => {
    const rowPath = `/manager/connectors/form/${row}`;
    const paths = [
      "/",
      "/manager/connectors",
      "/manager/add",
      rowPath,
      "/operations",
      "/manager/runs",
      "/workflows",
      `/workflows/${workflow}?tab=settings`,
      `/workflows/${workflow}/edit`,
      "/approvals",
      "/admin/users",
      "/admin/settings",
      "/profile/tokens",
    ];
    for (const [at, path] of paths.entries()) {
      const colorScheme = at % 2 === 0 ? "light" : "dark";
      await using visitor = await app.open(path, { reducedMotion: "reduce", colorScheme });
      await visitor.page.waitForLoadState("networkidle");
      const stops = await listStops(visitor.page);
      expect(stops.length).toBeGreaterThan(15);
      const bad = stops.filter(({ name, isSeen }) => name === "" || !isSeen);
      expect({ path, bad }).toEqual({ path, bad: [] });
    }
  });

  test("At twice the size the row's page needs no sideways scrolling, and its tabs turn by arrow keys", async () => {
    await using visitor = await app.open(`/manager/connectors/form/${row}`, {
      width: 640,
      deviceScaleFactor: 2,
      reducedMotion: "reduce",
    });
    const { page } = visitor;
    await page.getByRole("tab", { name: "Settings" }).focus();
    for (const name of ["Operations", "Test", "History", "Access"]) {
      await page.keyboard.press("ArrowRight");
      await page.getByRole("tab", { name, selected: true }).waitFor();
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(640);
      const box = await page.getByRole("tab", { name }).boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(640);
    }
    expect(visitor.faults).toEqual([]);
  });

  test("With reduced motion no part of a page has a transition or an animation", async () => {
    for (const path of ["/manager/connectors", `/workflows/${workflow}/edit`]) {
      await using visitor = await app.open(path, { reducedMotion: "reduce" });
      await visitor.untilIdle();
      const moving = await visitor.page.evaluate<number>(
        `[...document.querySelectorAll("*")].map((one) => getComputedStyle(one))
          .filter((one) => /[1-9]/.test(one.transitionDuration + one.animationDuration)).length`,
      );
      expect({ path, moving }).toEqual({ path, moving: 0 });
    }
  });
});
