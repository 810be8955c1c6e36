import type { Bench, Measure, Row } from "../measure.ts";
import { alternate, median, percentile } from "../statistics.ts";
import { createAdminToken, createHubFolder } from "../subjects/hub-folder.ts";
import { startHub } from "../subjects/hub-program.ts";

const queriesPerRound = 20;
const countedMsMax = 120_000;

/** Typical queries of the history. */
const queries = {
  "first page of the history": "runs",
  "page of one user's runs": "runs?user=USER",
  "page of failed runs": "runs?status=error",
  "page of a rare operation, which no index helps to find": "runs?operation=delete",
  "figures of the last five days": "runs/summary?from=FROM",
};

/** Queries of the history over the API with many runs, from the request to the last byte. */
export const history: Measure = {
  name: "history",
  async run(bench: Bench) {
    const { auditRows, rounds } = bench.plan;
    const { dataDir } = await createHubFolder(bench, { auditRows });
    const token = await createAdminToken(dataDir);
    await using hub = await startHub(bench, dataDir);
    const get = async (path: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${hub.url}/manager/api/${path}`, { headers });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`);
      return JSON.parse(text);
    };
    const from = new Date(Date.now() - 6 * 86_400_000).toISOString();
    await waitUntilCounted(() => get(`runs/summary?from=${from}`), auditRows);
    const user = (await get("runs")).runs.at(-1).user_id;

    const subjects: Record<string, () => Promise<number[]>> = {};
    for (const [name, query] of Object.entries(queries)) {
      const path = query.replace("USER", user).replace("FROM", from);
      subjects[name] = async () => {
        const tookMs: number[] = [];
        for (let i = 0; i < queriesPerRound; i += 1) {
          const sentAt = performance.now();
          await get(path);
          tookMs.push(performance.now() - sentAt);
        }
        return tookMs;
      };
      await subjects[name]();
    }
    const runs = await alternate(rounds, subjects);
    return Object.keys(queries).map((name): Row => {
      const tookMs = runs[name]?.flat() ?? [];
      return {
        what: `${name}, ${auditRows.toLocaleString("en")} audit rows`,
        value: median(tookMs),
        unit: "ms",
        target: { atMost: 25 },
        details: { p99_ms: percentile(tookMs, 99) },
      };
    });
  },
};

/** Waits until the server's job has counted all runs for the summary. */
async function waitUntilCounted(
  summarize: () => Promise<{ total: { runs: number } }>,
  auditRows: number,
): Promise<void> {
  const deadline = performance.now() + countedMsMax;
  while ((await summarize()).total.runs < auditRows) {
    if (performance.now() > deadline) throw new Error("The runs were not counted in time.");
    await Bun.sleep(200);
  }
}
