import { send } from "../load/send.ts";
import type { Bench, Measure, Row } from "../measure.ts";
import { median } from "../statistics.ts";
import { createHubFolder } from "../subjects/hub-folder.ts";
import { runHub, startHub } from "../subjects/hub-program.ts";
import { openSession } from "../subjects/mcp-session.ts";
import { countTools, toHttpRows } from "../subjects/tool-count.ts";
import { findWhoami } from "../subjects/whoami.ts";

/**
 * The first calls after another process changed a row of a hub with 10,000 tools. They block all other
 * calls. There is no target, but growth is visible here first.
 */
export const change: Measure = {
  name: "change",
  async run(bench: Bench) {
    const { dataDir, token } = await createHubFolder(bench, { httpRows: toHttpRows(10_000) });
    await using hub = await startHub(bench, dataDir);
    const session = await openSession({ url: hub.url, token });
    const { request } = await findWhoami({ url: hub.url, token });
    const search = session.toCall("hub_search", { query: "billing production" });

    const executeMs: number[] = [];
    const searchMs: number[] = [];
    for (let round = 0; round < bench.plan.rounds; round += 1) {
      await runHub(dataDir, ["row", "set", "Hub", "--description", `Round ${round}`]);
      executeMs.push(await time(() => send(request)));
      searchMs.push(await time(() => send(search)));
    }
    const tools = countTools(await session.call("hub_list", {}));
    return [
      toRow("first hub_execute after a change, 10,000 tools", executeMs, tools),
      toRow("first hub_search after a change, 10,000 tools", searchMs, tools),
    ];
  },
};

async function time(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}

function toRow(what: string, tookMs: number[], tools: number): Row {
  const details = { tools, slowest_ms: Math.max(...tookMs) };
  return { what, value: median(tookMs), unit: "ms", target: null, details };
}
