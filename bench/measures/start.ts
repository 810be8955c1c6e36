import { send } from "../load/send.ts";
import type { Bench, Measure, Row } from "../measure.ts";
import { median } from "../statistics.ts";
import { createHubFolder } from "../subjects/hub-folder.ts";
import { startHub } from "../subjects/hub-program.ts";
import { toInitialize } from "../subjects/mcp-session.ts";

/** From the start of the process to the first answer, on an empty and on a used folder. */
export const start: Measure = {
  name: "start",
  async run(bench: Bench) {
    const used = await createHubFolder(bench);
    const laterMs: number[] = [];
    const firstMs: number[] = [];
    for (let count = 0; count < bench.plan.starts; count += 1) {
      laterMs.push(await timeStart(bench, used.dataDir, used.token));
      firstMs.push(await timeStart(bench, await bench.createFolder(), null));
    }
    return [
      toRow("hub serve to first answered request", laterMs),
      toRow("the same, on an empty folder", firstMs),
    ];
  },
};

/** Sends a request without a token. The refusal counts as the first answer. */
async function timeStart(bench: Bench, dataDir: string, token: string | null): Promise<number> {
  const startedAt = performance.now();
  await using hub = await startHub(bench, dataDir);
  const request = toInitialize({ url: hub.url, token: token ?? "" });
  if (token === null) await fetch(request.url, { ...request, method: "POST" });
  else await send(request);
  return performance.now() - startedAt;
}

function toRow(what: string, tookMs: number[]): Row {
  const details = { fastest_ms: Math.min(...tookMs), slowest_ms: Math.max(...tookMs) };
  return { what, value: median(tookMs), unit: "ms", target: { atMost: 250 }, details };
}
