import type { Bench, Measure } from "../measure.ts";
import { median } from "../statistics.ts";
import { createHubFolder } from "../subjects/hub-folder.ts";
import { startHub } from "../subjects/hub-program.ts";
import { openSession } from "../subjects/mcp-session.ts";
import { readResidentBytes } from "../subjects/process-cost.ts";
import { startEcho } from "../subjects/start-echo.ts";

const quietMs = 1500;

/** The resident memory of an idle server after a few calls. */
export const memory: Measure = {
  name: "memory",
  async run(bench: Bench) {
    const { dataDir, token } = await createHubFolder(bench);
    await using echo = await startEcho();
    const residentMb: number[] = [];
    for (let count = 0; count < Math.min(3, bench.plan.starts); count += 1) {
      await using hub = await startHub(bench, dataDir);
      const session = await openSession({ url: hub.url, token });
      await session.call("hub_list", {});
      await Bun.sleep(quietMs);
      residentMb.push(await readMb(hub.pid));
    }
    return [
      {
        what: "resident memory, idle",
        value: median(residentMb),
        unit: "MB",
        target: { atMost: 80 },
        details: { echo_mb: await readMb(echo.pid) },
      },
    ];
  },
};

async function readMb(pid: number): Promise<number> {
  const bytes = await readResidentBytes(pid);
  if (bytes === null) throw new Error("Resident memory can be read only on Linux.");
  return bytes / 1e6;
}
