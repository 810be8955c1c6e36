import { aimAt } from "../load/http-request.ts";
import { pace } from "../load/pace.ts";
import type { Bench, Measure } from "../measure.ts";
import { alternate, compareRounds, median, percentile } from "../statistics.ts";
import { startNewHub } from "../subjects/hub-folder.ts";
import { startEcho } from "../subjects/start-echo.ts";
import { findWhoami } from "../subjects/whoami.ts";

const perSecond = 1000;

/** The p99 that the hub adds to an echo at a fixed rate of 1,000 calls per second. */
export const latency: Measure = {
  name: "latency",
  async run(bench: Bench) {
    const { rounds, seconds } = bench.plan;
    await using echo = await startEcho();
    await using hub = await startNewHub(bench);
    const whoami = await findWhoami(hub);
    const echoed = aimAt(echo.url, whoami.request);

    const paceHub = () =>
      pace(whoami.request, { perSecond, seconds, expectedBody: whoami.expectedBody });
    const paceEcho = () => pace(echoed, { perSecond, seconds, expectedBody: echoed.body });
    await paceEcho();
    await paceHub();
    const runs = await alternate(rounds, { echo: paceEcho, hub: paceHub });

    const at = (name: "echo" | "hub", percent: number) =>
      runs[name].map((tookMs) => percentile(tookMs, percent));
    return [
      {
        what: "hub_execute, p99 added at 1,000/s",
        value: compareRounds(at("hub", 99), at("echo", 99), (ofHub, ofEcho) => ofHub - ofEcho),
        unit: "ms",
        target: { atMost: 2 },
        details: {
          hub_p50_ms: median(at("hub", 50)),
          hub_p99_ms: median(at("hub", 99)),
          echo_p50_ms: median(at("echo", 50)),
          echo_p99_ms: median(at("echo", 99)),
        },
      },
    ];
  },
};
