import { fileURLToPath } from "node:url";
import { aimAt } from "../load/http-request.ts";
import { sendOneByOne } from "../load/one-by-one.ts";
import type { Bench, Measure, Row } from "../measure.ts";
import { alternate, median, percentile } from "../statistics.ts";
import { type HubContent, startNewHub } from "../subjects/hub-folder.ts";
import { openSession } from "../subjects/mcp-session.ts";
import { startEcho } from "../subjects/start-echo.ts";
import { countTools, toHttpRows } from "../subjects/tool-count.ts";
import { variedKeys, variedTools } from "../subjects/varied-connectors.ts";

/** Typical queries: an exact label, a word of many tools, several words, a typing error, a miss. */
const queries = [
  "Northwind billing staging 7",
  "delete",
  "billing production",
  "read an invoice from the archive",
  "inventroy",
  "zebra crossing",
];
/** The same for tools of which no two have the same text. */
const variedQueries = [
  "Service 7",
  "delete",
  "overdue invoice",
  "archive a signed contract and its history",
  "webhok",
  "zebra crossing",
];
const repeatsPerRound = 10;

const variedHub = fileURLToPath(import.meta.resolve("../subjects/varied-hub.ts"));

/** `hub_search` over 10,000 tools, one call at a time, from the request to the last byte. */
export const search: Measure = {
  name: "search",
  run: async (bench: Bench) => [
    await measure(bench, {
      what: "hub_search, 10,000 tools of one connector",
      queries,
      content: { httpRows: toHttpRows(10_000) },
    }),
    await measure(bench, {
      what: `hub_search, ${variedTools.toLocaleString("en")} different tools`,
      queries: variedQueries,
      content: { connectorKeys: variedKeys },
      main: variedHub,
    }),
  ],
};

type Searched = { what: string; queries: readonly string[]; content: HubContent; main?: string };

async function measure(bench: Bench, { what, queries, content, main }: Searched): Promise<Row> {
  await using echo = await startEcho();
  await using hub = await startNewHub(bench, { content, main });
  const session = await openSession(hub);
  const requests = queries.map((query) => session.toCall("hub_search", { query }));
  const repeated = Array.from({ length: repeatsPerRound }, () => requests).flat();
  const sendHub = () => sendOneByOne(repeated);
  const sendEcho = () => sendOneByOne(repeated.map((request) => aimAt(echo.url, request)));
  await sendEcho();
  const [firstMs = Number.NaN] = await sendHub();
  const runs = await alternate(bench.plan.rounds, { echo: sendEcho, hub: sendHub });

  const perQuery = queries.map((query, index) => {
    const tookMs = runs.hub.flat().filter((_, call) => call % queries.length === index);
    return [`"${query}"_ms`, median(tookMs)];
  });
  return {
    what,
    value: median(runs.hub.flat()),
    unit: "ms",
    target: { atMost: 2 },
    details: {
      tools: countTools(await session.call("hub_list", {})),
      p99_ms: percentile(runs.hub.flat(), 99),
      first_ms: firstMs,
      echo_ms: median(runs.echo.flat()),
      ...Object.fromEntries(perQuery),
    },
  };
}
