import { fileURLToPath } from "node:url";
import { sendInLoop } from "../load/closed-loop.ts";
import { aimAt } from "../load/http-request.ts";
import { loadServer } from "../load/load-server.ts";
import { pace } from "../load/pace.ts";
import type { Bench, Measure, Row } from "../measure.ts";
import { alternate, compareRounds, median, percentile } from "../statistics.ts";
import { type HubEngine, startHubEngine } from "../subjects/engines/hub-engine.ts";
import { startN8n } from "../subjects/engines/n8n.ts";
import { findEngines } from "../subjects/engines/node-program.ts";
import { startNodeRed } from "../subjects/engines/node-red.ts";
import {
  toWebhookRequest,
  type Webhook,
  type WorkflowEngine,
} from "../subjects/engines/workflow-engine.ts";
import { readCpuMs, readTreeMb } from "../subjects/process-cost.ts";
import { type RunningProgram, startProgram } from "../subjects/running-program.ts";
import { startEcho } from "../subjects/start-echo.ts";

/** Webhooks and runs of workflows, beside other engines if `HUB_BENCH_ENGINES` has them. */
export const workflows: Measure = {
  name: "workflows",
  async run(bench: Bench) {
    await using programs = new AsyncDisposableStack();
    const startSink = async () => programs.use(await startProgram([sinkProgram])).url;
    const echo = programs.use(await startEcho());
    const hub = programs.use(await startHubEngine(bench, await startSink()));
    const others: Record<string, WorkflowEngine> = {};
    const found = findEngines();
    if (found?.nodeRed) {
      const given = { node: found.node, packageFolder: found.nodeRed, sinkUrl: await startSink() };
      others.NodeRED = programs.use(await startNodeRed(bench, given));
    }
    if (found?.n8n) {
      const given = { node: found.node, packageFolder: found.n8n, sinkUrl: await startSink() };
      others.n8n = programs.use(await startN8n(bench, given));
    }
    const engines: Record<string, WorkflowEngine> = { hub, ...others };
    for (const { about } of Object.values(engines)) bench.say(`workflows: ${about}`);
    await Bun.sleep(quietMs);
    const idleMb: Record<string, number> = {};
    for (const [name, { pid }] of Object.entries(engines)) {
      idleMb[name] = await readTreeMb(pid, "now");
    }
    const rows = [
      await measureStoring(bench, hub, echo),
      await measureRate(bench, hub, echo),
      ...(await measureRuns(bench, hub, others)),
      ...(await measureAnswers(bench, engines, echo)),
    ];
    for (const [name, { pid, startedInMs }] of Object.entries(engines)) {
      const details = { idle_mb: idleMb[name] ?? 0, peak_mb: await readTreeMb(pid, "peak") };
      const what = `${name}: start to the first answered webhook`;
      rows.push({ what, value: startedInMs, unit: "ms", target: null, details });
    }
    return rows;
  },
};

const sinkProgram = fileURLToPath(import.meta.resolve("../subjects/engines/sink.ts"));
const quietMs = 4000;
const connectionCounts = [1, 8, 32];

/** Accepted webhooks whose runs are on disk and wait, as a share of the requests of a bare echo. */
async function measureStoring(bench: Bench, hub: HubEngine, echo: RunningProgram): Promise<Row> {
  const { rounds, seconds } = bench.plan;
  const details: Record<string, number> = {};
  let ratio = Number.NaN;
  for (const connections of connectionCounts) {
    const runs = await alternate(rounds, {
      async hub() {
        const webhook = await hub.publishStoring();
        const request = toWebhookRequest(webhook);
        // A workflow keeps at most 10,000 runs that wait.
        const amount = Math.min(9000, Math.round(seconds * 500 * Math.sqrt(connections) * 1.6));
        const server = { pid: hub.pid, request, expectedBody: webhook.answer, amount };
        return await loadServer(server, seconds, connections);
      },
      async echo() {
        const request = aimAt(echo.url, toWebhookRequest(hub.immediate));
        const server = { pid: echo.pid, request, expectedBody: request.body };
        return await loadServer(server, seconds, connections);
      },
    });
    ratio = compareRounds(
      runs.hub,
      runs.echo,
      (ofHub, ofEcho) => (100 * ofHub.perSecond) / ofEcho.perSecond,
    );
    const at = `at_${connections}`;
    details[`hub_per_s_${at}`] = median(runs.hub.map(({ perSecond }) => perSecond));
    details[`echo_per_s_${at}`] = median(runs.echo.map(({ perSecond }) => perSecond));
    details[`hub_cpu_us_${at}`] = median(runs.hub.map(({ cpuUs }) => cpuUs));
    details[`echo_cpu_us_${at}`] = median(runs.echo.map(({ cpuUs }) => cpuUs));
  }
  const what = "webhook accepted, its run on disk, 32 connections";
  return { what, value: ratio, unit: "% of echo", target: { atLeast: 20 }, details };
}

/** How long a webhook takes at 1,000 a second, while its runs of three nodes are carried out. */
async function measureRate(bench: Bench, hub: HubEngine, echo: RunningProgram): Promise<Row> {
  const { rounds, seconds } = bench.plan;
  const request = toWebhookRequest(hub.immediate);
  const echoed = aimAt(echo.url, request);
  const paced = { perSecond: 1000, seconds };
  const paceHub = () => pace(request, { ...paced, expectedBody: hub.immediate.answer });
  await paceHub();
  const runs = await alternate(rounds, {
    hub: paceHub,
    echo: () => pace(echoed, { ...paced, expectedBody: echoed.body }),
  });
  const at = (name: "hub" | "echo", percent: number) =>
    median(runs[name].map((tookMs) => percentile(tookMs, percent)));
  return {
    what: "webhook accepted at 1,000/s while three-node runs are done, p99",
    value: at("hub", 99),
    unit: "ms",
    target: { atMost: 20 },
    details: {
      hub_p50_ms: at("hub", 50),
      echo_p50_ms: at("echo", 50),
      echo_p99_ms: at("echo", 99),
    },
  };
}

type Subject = Pick<WorkflowEngine, "pid" | "countFinished"> & { webhook: Webhook };

/** Distinct finished runs of webhook, condition, value and call. */
async function measureRuns(
  bench: Bench,
  hub: HubEngine,
  others: Record<string, WorkflowEngine>,
): Promise<Row[]> {
  const { rounds, seconds } = bench.plan;
  const countFinished = () => hub.countRuns(hub.calling);
  const subjects: Record<string, Subject> = {
    "hub, calling an operation": { ...hub, webhook: hub.immediate },
    "hub, calling over HTTP": { pid: hub.pid, webhook: hub.calling, countFinished },
  };
  for (const [name, engine] of Object.entries(others)) {
    subjects[`${name}, calling over HTTP`] = { ...engine, webhook: engine.immediate };
  }
  const details = new Map<string, Record<string, number>>();
  const values = new Map<string, number>();
  for (const connections of connectionCounts) {
    const loads: Record<string, () => Promise<FinishedRuns>> = {};
    for (const [name, subject] of Object.entries(subjects)) {
      const first = await finishRuns(subject, 30, connections);
      const warm = await finishRuns(subject, toCount(first, seconds), connections);
      loads[name] = () => finishRuns(subject, toCount(warm, seconds), connections);
    }
    for (const [name, runs] of Object.entries(await alternate(rounds, loads))) {
      const at = `at_${connections}`;
      const perSecond = median(runs.map((run) => run.perSecond));
      values.set(name, perSecond);
      details.set(name, {
        ...details.get(name),
        [`finished_per_s_${at}`]: perSecond,
        [`accepted_per_s_${at}`]: median(runs.map((run) => run.acceptedPerSecond)),
        [`cpu_us_${at}`]: median(runs.map((run) => run.cpuUs)),
      });
    }
  }
  return [...values].map(([name, value], index) => ({
    what: `three-node runs finished, 32 connections: ${name}`,
    value,
    unit: "runs/s",
    target: index === 0 ? { atLeast: 1500 } : null,
    details: details.get(name) ?? {},
  }));
}

type FinishedRuns = { perSecond: number; acceptedPerSecond: number; cpuUs: number };

/** As many runs as are done in about that time, and not more than a hub lets wait. */
function toCount({ perSecond }: FinishedRuns, seconds: number): number {
  return Math.min(9000, Math.max(10, Math.round(perSecond * seconds)));
}

const finishMsMax = 120_000;

/** Sends webhooks, each with an id of its own, and waits until as many runs have finished. */
async function finishRuns(
  { pid, webhook, countFinished }: Subject,
  count: number,
  connections: number,
): Promise<FinishedRuns> {
  const before = await countFinished();
  const cpuBeforeMs = (await readCpuMs(pid)) ?? Number.NaN;
  const prefix = crypto.randomUUID();
  const startedAt = performance.now();
  await sendInLoop((index) => toWebhookRequest(webhook, `${prefix}-${index}`), {
    connections,
    until: { count },
    expectedBody: webhook.answer,
  });
  const acceptedS = (performance.now() - startedAt) / 1000;
  while ((await countFinished()) - before < count) {
    if (performance.now() - startedAt > finishMsMax)
      throw new Error(`${webhook.url}: runs are lost`);
    await Bun.sleep(10);
  }
  const tookS = (performance.now() - startedAt) / 1000;
  const finished = (await countFinished()) - before;
  if (finished !== count) throw new Error(`${webhook.url}: ${finished} runs of ${count} webhooks`);
  const cpuMs = ((await readCpuMs(pid)) ?? Number.NaN) - cpuBeforeMs;
  const acceptedPerSecond = count / acceptedS;
  return { perSecond: count / tookS, acceptedPerSecond, cpuUs: (cpuMs * 1000) / count };
}

/** How much longer than an echo a webhook takes whose workflow answers. */
async function measureAnswers(
  bench: Bench,
  engines: Record<string, WorkflowEngine>,
  echo: RunningProgram,
): Promise<Row[]> {
  const { rounds, seconds } = bench.plan;
  const rows: Row[] = [];
  for (const connections of connectionCounts) {
    const loop = { connections, until: { seconds } };
    const subjects: Record<string, () => Promise<number[]>> = {};
    for (const [name, { answering }] of Object.entries(engines)) {
      const request = toWebhookRequest(answering);
      subjects[name] = () => sendInLoop(() => request, { ...loop, expectedBody: answering.answer });
      await subjects[name]();
    }
    const echoed = { ...toWebhookRequest({ url: echo.url, answer: "" }) };
    subjects.echo = () => sendInLoop(() => echoed, { ...loop, expectedBody: echoed.body });
    const runs = await alternate(rounds, subjects);
    const at = (name: string, percent: number) =>
      median((runs[name] ?? []).map((tookMs) => percentile(tookMs, percent)));
    for (const name of Object.keys(engines)) {
      const perSecond = (runs[name] ?? []).map(({ length }) => length / seconds);
      rows.push({
        what: `webhook with its own answer, p50 over the echo, ${connections} connections: ${name}`,
        value: at(name, 50) - at("echo", 50),
        unit: "ms",
        target: name === "hub" ? (answerTargets.get(connections) ?? null) : null,
        details: {
          p50_ms: at(name, 50),
          p99_ms: at(name, 99),
          answers_per_s: median(perSecond),
          echo_p50_ms: at("echo", 50),
          echo_p99_ms: at("echo", 99),
        },
      });
    }
  }
  return rows;
}

const answerTargets = new Map([
  [1, { atMost: 2 }],
  [8, { atMost: 8 }],
]);
