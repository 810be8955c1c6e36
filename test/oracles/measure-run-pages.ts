/**
 * Measures how soon a run of 1,000 steps opens in Chromium, and how smoothly a list of 2,000 runs scrolls:
 * `bun test/oracles/measure-run-pages.ts [STEPS] [RUNS]`. The time of the main thread depends less than the time on
 * the wall on what else the machine does.
 */
import type { AppVisitor } from "./support/app-pages.ts";
import { findChromium } from "./support/chromium.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { openApp } from "./support/open-app.ts";

const stepsCount = Number(process.argv[2] ?? 1_000);
const runsCount = Number(process.argv[3] ?? 2_000);
const opensCount = 7;
const scrollsCount = 200;
const executable = findChromium();
if (executable === null) process.exit(2);

await using app = await openApp(executable);
const token = await app.hub.makeManageToken();
const api = <T>(route: string, body?: unknown) => callApi<T>(app.base, token, route, body);
const { id: called } = await addWorkflow("Called", {
  triggers: [{ id: "start", type: "manual", entry: "one" }],
  nodes: [{ id: "one", type: "set", value: 1 }],
});
const chainLength = 100;
const nodes = [
  {
    id: "many",
    type: "workflow",
    workflow_id: called,
    wait: false,
    items_at_once: 32,
    for_each: "{{.Event.Payload.items}}",
  },
  ...Array.from({ length: chainLength - 1 }, (_, at) => ({ id: `n${at}`, type: "set", value: at })),
  { id: "last", type: "fail", message: "Enough" },
];
const { id } = await addWorkflow("Long", {
  triggers: [{ id: "start", type: "manual", entry: "many" }],
  nodes,
  edges: nodes.slice(1).map((node, at) => ({ from: nodes[at]?.id, to: node.id })),
});
const { run_id: run } = await api<{ run_id: string }>(`POST /manager/api/workflows/${id}/runs`, {
  payload: { items: Array.from({ length: stepsCount - chainLength }, (_, at) => at) },
});
for (let isGoing = true; isGoing; ) {
  await Bun.sleep(500);
  const { state, error } = await api<{ state: string; error: { message: string } | null }>(
    `GET /manager/api/workflows/${id}/runs/${run}`,
  );
  isGoing = state === "running" || state === "queued";
  if (!isGoing && error?.message !== "Enough") throw new Error(error?.message ?? state);
}

await using visitor = await app.open("/", { width: 1440 });
const { page } = visitor;
const session = await page.context().newCDPSession(page);
await session.send("Performance.enable");

const opened: number[] = [];
for (let count = 0; count < opensCount; count += 1) {
  const from = performance.now();
  await page.goto(`${app.base}/workflows/${id}/runs/${run}`);
  await page.getByRole("list", { name: "Steps" }).waitFor();
  await page.getByRole("group", { name: "Rendered fields" }).waitFor();
  opened.push(performance.now() - from);
}
// The first one compiles the code and fills the caches.
print(`a run of ${stepsCount} steps opens, ms`, opened.slice(1));

for (let count = stepsCount - chainLength; count < runsCount; count += 50) {
  await Promise.all(
    Array.from({ length: 50 }, () => api(`POST /manager/api/workflows/${called}/runs`, {})),
  );
}
await page.goto(`${app.base}/workflows/${called}?tab=runs`);
await page.getByRole("table", { name: "Runs" }).waitFor();
const readStatus = () => page.locator("main p[role=status]").innerText();
while ((await readStatus()).includes("More follow")) {
  await page.evaluate("window.scrollTo(0, document.body.scrollHeight)");
  await nextFrame(page);
}
console.log(await readStatus());
await page.evaluate("window.scrollTo(0, 0)");
await page.mouse.move(720, 500);
const frames: number[] = [];
const before = await readThreadMs();
for (let count = 0; count < scrollsCount; count += 1) {
  const ms = await readThreadMs();
  await page.mouse.wheel(0, 400);
  await nextFrame(page);
  frames.push((await readThreadMs()) - ms);
}
print("a frame of scrolling, ms of the main thread", frames);
console.log(`mean ${(((await readThreadMs()) - before) / scrollsCount).toFixed(1)} ms`);

async function addWorkflow(name: string, body: object): Promise<{ id: string }> {
  const made = await api<{ id: string }>("POST /manager/api/workflows", { name, body });
  await api(`POST /manager/api/workflows/${made.id}/publish`, { revision: 1 });
  return made;
}

async function readThreadMs(): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1_000 * (metrics.find(({ name }) => name === "ThreadTime")?.value ?? 0);
}

function nextFrame(of: AppVisitor["page"]): Promise<unknown> {
  return of.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
}

function print(what: string, values: readonly number[]): void {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);
  console.log(`${what}: p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}`);
}
