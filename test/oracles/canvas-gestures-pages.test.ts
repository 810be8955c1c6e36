/** What the graph does while it is dragged, and how keys change its size, in a real browser. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { callApi } from "./support/fill-admin-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const body = {
  triggers: [{ id: "hand", type: "manual", entry: "first" }],
  nodes: [
    { id: "first", type: "set", value: 1 },
    { id: "second", type: "set", value: 2 },
    { id: "loose", type: "set", value: 3 },
  ],
  edges: [{ from: "first", to: "second" }],
  layout: { hand: [0, 0], first: [320, 0], second: [912, 0], loose: [320, 240] },
};

describeApp({ title: "Gestures on the canvas", toHubOptions: async () => ({}) }, (app) => {
  let token: string;
  beforeAll(async () => {
    token = await app.hub.makeManageToken();
  });
  const create = async () => {
    const route = "POST /manager/api/workflows";
    return (await callApi<{ id: string }>(app.base, token, route, { name: "Gestures", body })).id;
  };
  const item = (page: Page, id: string) => page.locator(`[data-item="${id}"]`);
  const centreOf = async (page: Page, id: string) => {
    const box = await item(page, id).boundingBox();
    if (box === null) throw new Error(`${id} is not visible.`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };

  test("A dragged node is selected at once, and its inspector opens when it is dropped", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1440 });
    const { page } = visitor;
    await visitor.untilIdle();
    const inspector = page.locator("[data-inspector]");
    const [start, other] = [await centreOf(page, "loose"), await centreOf(page, "first")];
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x, start.y + 60, { steps: 4 });
    await item(page, "loose").and(page.locator("[data-selected]")).waitFor();
    await visitor.untilIdle();
    expect(await inspector.count()).toBe(0);
    expect(await centreOf(page, "first")).toEqual(other);
    await page.mouse.up();
    await page.getByRole("complementary", { name: "Inspector: Set" }).waitFor();
    expect(new URL(page.url()).searchParams.get("node")).toBe("loose");
    expect(visitor.faults).toEqual([]);
  });

  test("On the graph, keys zoom in and out, to 100 % and to the whole graph", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1440 });
    const { page } = visitor;
    await visitor.untilIdle();
    const readZoom = async () => {
      await visitor.untilIdle();
      return Number.parseInt((await page.getByText(/^\d+%$/).textContent()) ?? "", 10);
    };
    const press = async (key: string) => {
      await page.keyboard.press(key);
      return await readZoom();
    };
    await item(page, "first").click();
    await page.locator("[data-inspector]").waitFor();
    const fitted = await press("1");
    const smaller = await press("-");
    expect(smaller).toBeLessThan(fitted);
    const larger = await press("+");
    expect(larger).toBeGreaterThan(smaller);
    expect(await press("0")).toBe(100);
    expect(await press("-")).toBeLessThan(100);
    // In a text they are characters.
    await page.keyboard.press("Enter");
    await page.locator("[data-inspector] :is(textarea, input):focus").waitFor();
    const before = await readZoom();
    expect(await press("0")).toBe(before);
    expect(visitor.faults).toEqual([]);
  });

  /** Turns the wheel, and stops the clock, so that the library does not see the end of the turn. */
  const turnWheel = async (page: Page, at: { x: number; y: number }) => {
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, -300);
    await page.locator("[data-zooming]").waitFor({ state: "attached" });
    await page.clock.runFor(50);
  };

  test("A node that is pressed at once after the wheel follows the pointer", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1440, hasClock: true });
    const { page } = visitor;
    await visitor.untilIdle();
    const start = await centreOf(page, "loose");
    await turnWheel(page, start);
    await page.mouse.down();
    await page.mouse.move(start.x + 100, start.y, { steps: 4 });
    await page.mouse.move(start.x + 200, start.y, { steps: 4 });
    await page.clock.runFor(50);
    const moved = (await centreOf(page, "loose")).x - start.x;
    await page.mouse.up();
    // It moves by steps of the grid, which are 20 pixels long at 100 %.
    expect(Math.abs(moved - 200)).toBeLessThan(40);
    expect(visitor.faults).toEqual([]);
  });

  test("A node below the pointer is selected by a click when the wheel has stopped", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1440, hasClock: true });
    const { page } = visitor;
    await visitor.untilIdle();
    await turnWheel(page, await centreOf(page, "loose"));
    // The library sees the end of the turn. The page waits for another one.
    await page.clock.runFor(200);
    await page.mouse.down();
    await page.mouse.up();
    await item(page, "loose").and(page.locator("[data-selected]")).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("A graph that is moved at once after the wheel is moved until the button is released", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1440, hasClock: true });
    const { page } = visitor;
    await visitor.untilIdle();
    const { x, y } = await centreOf(page, "loose");
    const ground = { x: x + 300, y };
    await turnWheel(page, ground);
    await page.mouse.down();
    await page.mouse.move(ground.x - 50, y, { steps: 4 });
    const panning = page.locator("[data-panning]");
    await panning.waitFor();
    // The library sees the end of the turn.
    await page.clock.runFor(400);
    expect(await panning.count()).toBe(1);
    await page.mouse.up();
    await page.clock.runFor(50);
    expect(await panning.count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  /** Counts the events that reach the window after the graph has joined those of a frame. */
  const countEvents = async (page: Page, type: "mousemove" | "wheel") => {
    await page.evaluate(`counted = 0; addEventListener("${type}", () => (counted += 1), true)`);
    return () => page.evaluate("counted");
  };
  const readView = async (page: Page) => {
    const box = '(() => document.querySelector(".react-flow__viewport").style.transform)()';
    const [x = 0, , zoom = 0] =
      String(await page.evaluate(box))
        .match(/-?[\d.]+/g)
        ?.map(Number) ?? [];
    return { zoom, x };
  };

  test("Several moves before a frame are handed on as the last one", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1440, hasClock: true });
    const { page } = visitor;
    await visitor.untilIdle();
    const { x, y } = await centreOf(page, "loose");
    const ground = { x: x + 300, y };
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.mouse.move(ground.x, y);
    const readCount = await countEvents(page, "mousemove");
    await page.mouse.down();
    await page.mouse.move(ground.x - 20, y, { steps: 2 });
    await page.clock.runFor(50);
    const before = await readView(page);
    const first = Number(await readCount());
    await page.mouse.move(ground.x - 140, y, { steps: 6 });
    expect(await readCount()).toBe(first);
    await page.clock.runFor(50);
    expect(await readCount()).toBe(first + 1);
    expect((await readView(page)).x - before.x).toBeCloseTo(-120, 1);
    expect(visitor.faults).toEqual([]);
  });

  test("A node that is dropped before the next frame is where the pointer was", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1440, hasClock: true });
    const { page } = visitor;
    await visitor.untilIdle();
    const start = await centreOf(page, "loose");
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x + 40, start.y, { steps: 2 });
    await page.clock.runFor(50);
    await page.locator("[data-dragging]").waitFor();
    await page.mouse.move(start.x + 200, start.y, { steps: 4 });
    await page.mouse.up();
    await page.clock.runFor(50);
    await page.locator("[data-inspector]").waitFor();
    await page
      .locator('.react-flow__node[data-id="loose"]')
      .and(page.locator(":not([style*=translate])"))
      .waitFor();
    const query = 'document.querySelector(`.react-flow__node[data-id="loose"]`).style.left';
    const left = Number.parseFloat(String(await page.evaluate(query)));
    const { zoom } = await readView(page);
    // It was at 320, and moves by steps of the grid.
    expect(Math.abs((left - 320) * zoom - 200)).toBeLessThan(40);
    expect(visitor.faults).toEqual([]);
  });

  test("Several turns of the wheel before a frame zoom as far as one after the other", async () => {
    const id = await create();
    await using visitor = await app.open(`/workflows/${id}/edit`, { width: 1440, hasClock: true });
    const { page } = visitor;
    await visitor.untilIdle();
    const at = await centreOf(page, "loose");
    const fitted = await readView(page);
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, 30);
    await page.locator("[data-zooming]").waitFor({ state: "attached" });
    const readCount = await countEvents(page, "wheel");
    for (let turn = 0; turn < 4; turn += 1) await page.mouse.wheel(0, 30);
    await page.clock.runFor(50);
    expect(await readCount()).toBe(1);
    // The library doubles the size for 500 pixels.
    const { zoom } = await readView(page);
    expect(zoom / fitted.zoom).toBeCloseTo(2 ** (-150 / 500), 3);
    expect(visitor.faults).toEqual([]);
  });
});
