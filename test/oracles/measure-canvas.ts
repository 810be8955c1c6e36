/**
 * Measures how smoothly a graph of many nodes is dragged, panned and zoomed in Chromium:
 * `bun test/oracles/measure-canvas.ts [NODES] [paced]`, 200 by default. It prints the frames of the browser's trace and
 * the processor time of the main thread in each of them, which depends less on what else the machine does. On a busy
 * machine, each frame answers several moves, and the few frames at the ends of the gestures decide: with `paced`, each
 * move waits until the page has handled the last one, so that two versions draw the same frames.
 */

import { setTimeout as wait } from "node:timers/promises";
import type { AppVisitor } from "./support/app-pages.ts";
import { findChromium } from "./support/chromium.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { openApp } from "./support/open-app.ts";

const count = Number(process.argv[2] ?? 200);
const isPaced = process.argv[3] === "paced";
const movesCount = isPaced ? 120 : 360;
const moveMs = 8;
const executable = findChromium();
if (executable === null) process.exit(2);

const app = await openApp(executable);
const token = await app.hub.makeManageToken();
const rowsCount = 10;
const nodes = Array.from({ length: count }, (_, at) => ({
  id: `n${at}`,
  type: "set",
  label: `Step ${at}`,
  value: `{{.Event.Payload.n${at}}}`,
}));
const edges = nodes.flatMap(({ id }, at) =>
  at < rowsCount ? [] : [{ from: `n${at - rowsCount}`, to: id }],
);
const layout = Object.fromEntries(
  nodes.map(({ id }, at) => [id, [Math.floor(at / rowsCount) * 336, (at % rowsCount) * 112]]),
);
const { id } = await callApi<{ id: string }>(app.base, token, "POST /manager/api/workflows", {
  name: "Large",
  body: {
    triggers: [{ id: "hand", type: "manual", entry: "n0" }],
    nodes,
    edges,
    layout: { ...layout, hand: [-336, 0] },
  },
});
const visitor = await app.open(`/workflows/${id}/edit`, { width: 1440 });
const { page } = visitor;
await page.locator("[data-item]").first().waitFor();
// A large graph opens at its beginning. All of its nodes are to be drawn.
await page.getByRole("button", { name: "Fit to the window" }).click();
await page.locator("[data-item]").nth(count).waitFor();
await visitor.untilIdle();
const session = await page.context().newCDPSession(page);
await session.send("Performance.enable");
const processes = await app.browser.newBrowserCDPSession();

/**
 * The browser hands over one turn of the wheel after the other, and may hold many back when the measure has sent the
 * last one. They must not run into the next measure.
 */
const untilNoWheel = `new Promise((resolve) => {
  let timer = setTimeout(resolve, 1500);
  addEventListener("wheel", () => {
    clearTimeout(timer);
    timer = setTimeout(resolve, 1500);
  }, { capture: true, passive: true });
})`;

type Page = AppVisitor["page"];
type CDPSession = Awaited<ReturnType<ReturnType<Page["context"]>["newCDPSession"]>>;
type Step = (at: number) => Promise<unknown>;

console.log(`${count} nodes, ${movesCount} moves of the pointer each${isPaced ? ", paced" : ""}`);
const box = await page
  .locator("[data-item]")
  .nth(Math.floor(count / 2))
  .boundingBox();
if (box === null) throw new Error("No node is visible.");
const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
await point("mouseMoved", [x, y], 0);
await point("mousePressed", [x, y]);
await measure("drag of a node", (at) =>
  point("mouseMoved", [
    x + 120 * Math.sin(at / (isPaced ? 8 : 24)),
    y + 60 * Math.sin(at / (isPaced ? 12 : 34)),
  ]),
);
await point("mouseReleased", [x, y]);
// The inspector of the dropped node opens, which is no frame of the zoom.
await page.locator("[data-inspector]").waitFor();
await visitor.untilIdle();
const readZoom = () => page.getByText(/^\d+\s?%$/).textContent();
await measure(`zoom from ${await readZoom()}`, () => turnWheel(isPaced ? -9 : -3));
await measure(`zoom back from ${await readZoom()}`, () => turnWheel(isPaced ? 9 : 3));
const pan = async (title: string) => {
  await point("mouseMoved", [720, 120], 0);
  await point("mousePressed", [720, 120]);
  await measure(title, (at) =>
    point("mouseMoved", [720 + 300 * Math.sin(at / (isPaced ? 8 : 24)), 120 + at / 6]),
  );
  await point("mouseReleased", [720, 120]);
};
await pan(`pan at ${await readZoom()}`);
await page.getByRole("button", { name: "Fit to the window" }).click();
await visitor.untilIdle();
await turnWheel(-600);
await pan("pan at once after the wheel");
await app[Symbol.asyncDispose]();
// The sessions of the browser's protocol keep the process open.
process.exit(0);

/**
 * Sends an event of the mouse by the browser's protocol. The mouse of the test library runs scripts in the page around
 * each move with a pressed button, which the trace would count.
 */
async function point(
  type: "mouseMoved" | "mousePressed" | "mouseReleased",
  [atX, atY]: readonly [number, number],
  buttons = 1,
): Promise<void> {
  const button = buttons === 0 ? "none" : "left";
  await session.send("Input.dispatchMouseEvent", {
    type,
    x: atX,
    y: atY,
    button,
    buttons: type === "mouseReleased" ? 0 : buttons,
    clickCount: type === "mouseMoved" ? 0 : 1,
  });
}

async function turnWheel(deltaY: number): Promise<void> {
  await session.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY });
}

/** Prints the frames while the pointer does something, from the trace of the browser. */
async function measure(title: string, step: Step): Promise<void> {
  const before = await readCpu();
  const events = await trace(session, async () => {
    // Like a mouse, the moves do not wait for the frames.
    const steps: Array<Promise<unknown>> = [];
    for (let at = 0; at < movesCount; at += 1) {
      const taken = step(at);
      steps.push(taken);
      await (isPaced ? taken : wait(moveMs));
    }
    await Promise.all(steps);
  });
  const after = await readCpu();
  await session.send("Runtime.evaluate", { expression: untilNoWheel, awaitPromise: true });
  const frames = listFrameTimes(events);
  console.log(
    `${title}: ${frames.length} frames; main thread a frame: p50 ${percentile(frames, 50)} ms, ` +
      `p95 ${percentile(frames, 95)} ms; CPU a move: main thread ${toMs(after.thread - before.thread)}, ` +
      `page ${toMs(after.page - before.page)}, whole browser ${toMs(after.browser - before.browser)}`,
  );
}

/** Milliseconds of processor time of the page's main thread for each frame: since the frame before was handed over. */
function listFrameTimes(events: readonly TraceEvent[]): number[] {
  const main = findMainThread(events);
  const own = events
    .filter(({ pid, tid }) => pid === main.pid && tid === main.tid)
    .sort((one, other) => one.ts - other.ts);
  const frames = [0];
  for (const { name, tdur = 0 } of own) {
    // A task has the time of all that it does, so that nested events are not added.
    if (name === "RunTask") frames.push((frames.pop() ?? 0) + tdur / 1000);
    else if (name === "Commit") frames.push(0);
  }
  // The first and the last one are cut by the trace.
  return frames.slice(1, -1);
}

/** Seconds of processor time: of the main thread, of the page's process, and of all processes of the browser. */
async function readCpu(): Promise<{ thread: number; page: number; browser: number }> {
  const { metrics } = await session.send("Performance.getMetrics");
  const find = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  const { processInfo } = await processes.send("SystemInfo.getProcessInfo");
  const browser = processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  return { thread: find("ThreadTime"), page: find("ProcessTime"), browser };
}

function toMs(seconds: number): string {
  return `${((seconds * 1000) / movesCount).toFixed(1)} ms`;
}

/** Times in microseconds; `tdur` is processor time. */
type TraceEvent = { name: string; ts: number; pid: number; tid: number; tdur?: number };

async function trace(cdp: CDPSession, run: () => Promise<void>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  // The events of the browser's trace have these members.
  const take = ({ value }: { value: unknown[] }) => void events.push(...(value as TraceEvent[]));
  cdp.on("Tracing.dataCollected", take);
  await cdp.send("Tracing.start", {
    transferMode: "ReportEvents",
    categories: "devtools.timeline,devtools.timeline.frame,disabled-by-default-devtools.timeline",
  });
  await run();
  const ended = new Promise((resolve) => cdp.once("Tracing.tracingComplete", resolve));
  await cdp.send("Tracing.end");
  await ended;
  cdp.off("Tracing.dataCollected", take);
  return events;
}

/** The thread that renders the page. */
function findMainThread(events: readonly TraceEvent[]): TraceEvent {
  const found = events.find(({ name }) => name === "UpdateLayoutTree" || name === "Layout");
  if (found === undefined) throw new Error("The trace has no layout.");
  return found;
}

function percentile(values: readonly number[], percent: number): string {
  const sorted = [...values].sort((one, other) => one - other);
  return (
    sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0
  ).toFixed(1);
}
