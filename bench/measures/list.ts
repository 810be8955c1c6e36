import { aimAt } from "../load/http-request.ts";
import { sendOneByOne } from "../load/one-by-one.ts";
import type { Bench, Measure } from "../measure.ts";
import { alternate, median, percentile } from "../statistics.ts";
import { startNewHub } from "../subjects/hub-folder.ts";
import { openSession } from "../subjects/mcp-session.ts";
import { startEcho } from "../subjects/start-echo.ts";
import { countTools, toHttpRows } from "../subjects/tool-count.ts";

const callsPerRound = 30;

/** `hub_list` for a user who sees 1,000 tools, one call at a time, from the request to the last byte. */
export const list: Measure = {
  name: "list",
  async run(bench: Bench) {
    await using echo = await startEcho();
    await using hub = await startNewHub(bench, { content: { httpRows: toHttpRows(1000) } });
    const session = await openSession(hub);
    const request = session.toCall("hub_list", {});
    const sendHub = () => sendOneByOne(Array(callsPerRound).fill(request));
    const sendEcho = () => sendOneByOne(Array(callsPerRound).fill(aimAt(echo.url, request)));
    await sendEcho();
    await sendHub();
    const runs = await alternate(bench.plan.rounds, { echo: sendEcho, hub: sendHub });

    return [
      {
        what: "hub_list, 1,000 tools",
        value: median(runs.hub.flat()),
        unit: "ms",
        target: { atMost: 5 },
        details: {
          tools: countTools(await session.call("hub_list", {})),
          p99_ms: percentile(runs.hub.flat(), 99),
          echo_ms: median(runs.echo.flat()),
        },
      },
    ];
  },
};
