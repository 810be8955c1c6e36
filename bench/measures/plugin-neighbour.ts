import type { HttpRequest } from "../load/http-request.ts";
import { pace } from "../load/pace.ts";
import { send } from "../load/send.ts";
import type { Bench, Row } from "../measure.ts";
import { alternate, compareRounds, median, percentile } from "../statistics.ts";
import type { HubFolder } from "../subjects/hub-folder.ts";
import { openWorkSession, startWorkHub } from "../subjects/work-folder.ts";

const perSecond = 500;
const hangingCalls = 32;

/** The calls of one plugin while another plugin hangs in 32 calls. */
export async function measureNeighbour(bench: Bench, folder: HubFolder): Promise<Row> {
  const { rounds, seconds } = bench.plan;
  await using alone = await startWorkHub(bench, folder);
  await using crowded = await startWorkHub(bench, folder);
  const besideHanging = await openWorkSession(crowded, folder);
  const cancellation = new AbortController();
  const request = besideHanging.toWork("other_work", "wait", {});
  const hanging = Array.from({ length: hangingCalls }, () =>
    waitForAnswer(request, cancellation.signal),
  );

  const subjects = { alone: await openWorkSession(alone, folder), beside: besideHanging };
  const toSubject = async ({ toWork }: typeof besideHanging) => {
    const greeting = toWork("work", "greet", { name: "Ada" });
    const expectedBody = await send(greeting);
    return () => pace(greeting, { perSecond, seconds, expectedBody });
  };
  const paceAlone = await toSubject(subjects.alone);
  const paceBeside = await toSubject(subjects.beside);
  await paceAlone();
  await paceBeside();
  const runs = await alternate(rounds, { alone: paceAlone, beside: paceBeside });
  if ((await Promise.race([...hanging, "hanging"])) !== "hanging")
    throw new Error("The hanging call was answered.");
  cancellation.abort();
  await Promise.all(hanging);

  const at = (name: "alone" | "beside", percent: number) =>
    runs[name].map((tookMs) => percentile(tookMs, percent));
  return {
    what: `a plugin's p50 beside another that hangs in ${hangingCalls} calls`,
    value: compareRounds(at("beside", 50), at("alone", 50), (one, other) => one / other),
    unit: "× alone",
    target: { atMost: 1.1 },
    details: {
      p50_ms: median(at("beside", 50)),
      alone_p50_ms: median(at("alone", 50)),
      p99_ms: median(at("beside", 99)),
      alone_p99_ms: median(at("alone", 99)),
    },
  };
}

/** Reads to the last byte, because a long call begins its stream early. */
async function waitForAnswer({ url, headers, body }: HttpRequest, signal: AbortSignal) {
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal });
    return await response.text();
  } catch {
    return "left";
  }
}
