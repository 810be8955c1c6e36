import { parseArgs } from "node:util";
import { median, percentile } from "../statistics.ts";
import { type Operation, type Query, readCorpus, readQueries } from "./corpus-file.ts";
import type { Engine } from "./engines/engine.ts";
import { createFts5Engine } from "./engines/fts5.ts";
import { openHubEngine } from "./engines/hub.ts";
import { createMiniSearchEngine } from "./engines/minisearch.ts";
import { findRank, toMrr, toShare } from "./ranks.ts";
import { runCommand } from "./run-command.ts";
import type { SavedRank } from "./saved-ranks.ts";

const usage =
  "Usage: bun bench/discovery/run.ts CORPUS QUERIES [--half tune|held] [--embeddings URL --model MODEL] [--save FILE]";
/** Answers below this rank count as not found. */
const rankMax = 100;
/** The default of `hub_search`, for the latency. */
const pageSize = 10;
const rounds = 5;

/** What one engine did with one query. */
type Outcome = {
  query: Query;
  rank: number | null;
  /** Processor time of one search. */
  tookMs: number[];
  bytes: number | null;
};

await runCommand(main);

async function main(): Promise<void> {
  const { corpusPath, queriesPath, half, embeddings, savePath } = readArguments();
  const corpus = await readCorpus(corpusPath);
  const hubs = Map.groupBy(corpus, ({ hub }) => hub ?? "");
  const all = await readQueries(queriesPath);
  const queries = all.filter((query) => half === null || query.half === half);
  if (queries.length === 0) throw new Error(`${queriesPath} has no such queries.`);
  const connectors = new Set(corpus.map(({ connector }) => connector));
  console.log(
    `${corpus.length} operations of ${connectors.size} connectors, ${queries.length} queries${half === null ? "" : ` (${half})`}\n`,
  );
  const lines = [
    ["engine", "queries", "top 1", "top 5", "MRR", "p50 ms", "p99 ms", "answer bytes"],
  ];
  const engines: Array<(of: readonly Operation[]) => Engine | Promise<Engine>> = [
    (of) => openHubEngine(of),
    ...(embeddings === null ? [] : [(of: readonly Operation[]) => openHubEngine(of, embeddings)]),
    createMiniSearchEngine,
    createFts5Engine,
  ];
  const saved: SavedRank[] = [];
  for (const open of engines) {
    const outcomes: Outcome[] = [];
    let name = "";
    for (const [hub, ofHub] of Map.groupBy(queries, (query) => query.hub ?? "")) {
      const engine = await open(hubs.get(hub) ?? []);
      name = engine.name;
      try {
        outcomes.push(...(await measure(engine, ofHub)));
      } finally {
        await engine.close();
      }
    }
    for (const [kind, ofKind] of [
      ...Map.groupBy(outcomes, ({ query }) => query.kind),
      ["all", outcomes] as const,
    ]) {
      lines.push([name, `${kind} ${ofKind.length}`, ...toFigures(ofKind)]);
    }
    saved.push(...outcomes.map(({ query, rank }) => ({ engine: name, ...query, rank })));
  }
  console.log(toTable(lines));
  if (savePath !== undefined) await Bun.write(savePath, `${JSON.stringify(saved, null, 1)}\n`);
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      half: { type: "string" },
      embeddings: { type: "string" },
      model: { type: "string" },
      save: { type: "string" },
    },
  });
  const [corpusPath, queriesPath, ...rest] = positionals;
  const { half = null, embeddings: url, model } = values;
  const isHalf = half === null || half === "tune" || half === "held";
  if (corpusPath === undefined || queriesPath === undefined || rest.length > 0 || !isHalf) {
    throw new Error(usage);
  }
  if ((url === undefined) !== (model === undefined)) throw new Error(usage);
  const embeddings = url === undefined || model === undefined ? null : { url, model };
  return { corpusPath, queriesPath, half, embeddings, savePath: values.save };
}

async function measure(engine: Engine, queries: readonly Query[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const query of queries) {
    // The first search also builds the index, so it is not timed.
    const rank = findRank(await engine.search(query.query, rankMax), query.answers);
    const bytes = await engine.measureAnswer(query.query);
    outcomes.push({ query, rank, bytes, tookMs: [] });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { query, tookMs } of outcomes) {
      const before = process.cpuUsage();
      await engine.search(query.query, pageSize);
      const { user, system } = process.cpuUsage(before);
      tookMs.push((user + system) / 1000);
    }
  }
  return outcomes;
}

function toFigures(outcomes: readonly Outcome[]): string[] {
  const ranks = outcomes.map(({ rank }) => rank);
  const tookMs = outcomes.flatMap((outcome) => outcome.tookMs);
  const bytes = outcomes.map((outcome) => outcome.bytes).filter((size) => size !== null);
  return [
    `${(100 * toShare(ranks, 1)).toFixed(0)} %`,
    `${(100 * toShare(ranks, 5)).toFixed(0)} %`,
    toMrr(ranks).toFixed(3),
    median(tookMs).toFixed(2),
    percentile(tookMs, 99).toFixed(2),
    bytes.length === 0 ? "" : median(bytes).toFixed(0),
  ];
}

/** Columns of text, the first two to the left. */
function toTable(lines: readonly string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const toLine = (line: readonly string[]) =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column < 2 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  return lines.map(toLine).join("\n");
}
