/**
 * Counts the tokens that a model reads of each meta-tool's answer:
 *
 *   bun bench/discovery/tokens.ts CORPUS QUERIES [DOCUMENT]
 *
 * DOCUMENT is GitHub's OpenAPI document, `generated/api.github.com.json` of the npm package `@octokit/openapi`.
 */
import { percentile } from "../statistics.ts";
import { type Query, readCorpus, readQueries } from "./corpus-file.ts";
import type { AskHub } from "./engines/ask-hub.ts";
import { openDocumentHub } from "./engines/document-hub.ts";
import { openHubEngine } from "./engines/hub.ts";
import { type CountTokens, loadTokenizer } from "./load-tokenizer.ts";
import { plainWordings } from "./plain-wordings.ts";
import { runCommand } from "./run-command.ts";

/** How many tools are read with `hub_get`. */
const readMax = 200;

/** What is measured, and the sizes of its answers. */
type Measure = { what: string; tokens: number[] };

await runCommand(main);

async function main(): Promise<void> {
  const [corpusPath, queriesPath, documentPath] = process.argv.slice(2);
  if (corpusPath === undefined || queriesPath === undefined) {
    throw new Error("usage: bun bench/discovery/tokens.ts CORPUS QUERIES [DOCUMENT]");
  }
  const countTokens = await loadTokenizer();
  const corpus = await readCorpus(corpusPath);
  const queries = await readQueries(queriesPath);
  const mixed = await openHubEngine(corpus);
  const measures: Measure[] = [];
  try {
    measures.push(
      { what: "tools/list", tokens: [countTokens(await mixed.ask.listTools())] },
      { what: "instructions", tokens: [countTokens(await mixed.ask.instructions())] },
      ...(await measureHub(`${corpus.length} mixed`, mixed.ask, toTexts(queries), countTokens)),
    );
  } finally {
    await mixed.close();
  }
  if (documentPath !== undefined) {
    measures.push(...(await measureDocument(documentPath, queries, countTokens)));
  }
  print(measures);
}

async function measureDocument(
  path: string,
  queries: readonly Query[],
  countTokens: CountTokens,
): Promise<Measure[]> {
  const hub = await openDocumentHub(await Bun.file(path).text(), "GitHub");
  try {
    const ofGitHub = queries.filter(({ answers }) =>
      answers.some((answer) => answer.startsWith("GitHub/")),
    );
    const texts = [...toTexts(ofGitHub), ...plainWordings];
    return await measureHub(`document, ${hub.names.length}`, hub.ask, texts, countTokens);
  } finally {
    await hub.close();
  }
}

function toTexts(queries: readonly Query[]): string[] {
  return queries.map(({ query }) => query);
}

async function measureHub(
  hub: string,
  ask: AskHub,
  queries: readonly string[],
  countTokens: CountTokens,
): Promise<Measure[]> {
  const measure = async (what: string, tool: string, args: Record<string, unknown>[]) => {
    const tokens: number[] = [];
    for (const one of args) tokens.push(countTokens(await ask.call(tool, one)));
    return { what: `${tool}, ${hub}${what}`, tokens };
  };
  const searches = queries.map((query) => ({ query }));
  const withSchemas = searches.map((search) => ({ ...search, schemas: true }));
  const listed = JSON.parse(await ask.call("hub_list", {}));
  // A stride over all connectors.
  const stride = Math.max(1, Math.floor(listed.tools.length / readMax));
  const toRead = listed.tools
    .filter((_: unknown, index: number) => index % stride === 0)
    .map(({ tool_id }: { tool_id: string }) => ({ tool_id }));
  return [
    await measure("", "hub_search", searches),
    ...((await takesSchemas(ask)) ? [await measure(", schemas", "hub_search", withSchemas)] : []),
    await measure("", "hub_list", [{}]),
    await measure(", limit 50", "hub_list", [{ limit: 50 }]),
    await measure("", "hub_get", toRead),
  ];
}

/** Hubs before it answered with schemas always. */
async function takesSchemas(ask: AskHub): Promise<boolean> {
  const tools: { name: string; inputSchema: { properties?: object } }[] = JSON.parse(
    await ask.listTools(),
  );
  const search = tools.find(({ name }) => name === "hub_search");
  return "schemas" in (search?.inputSchema.properties ?? {});
}

function print(measures: readonly Measure[]): void {
  const lines = [
    ["answer", "answers", "median", "p90", "max"],
    ...measures.map(({ what, tokens }) => [
      what,
      String(tokens.length),
      ...[50, 90, 100].map((rank) => percentile(tokens, rank).toFixed(0)),
    ]),
  ];
  for (const [what = "", ...figures] of lines) {
    console.log(what.padEnd(36) + figures.map((figure) => figure.padStart(10)).join(""));
  }
}
