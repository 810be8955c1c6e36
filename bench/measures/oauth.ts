import { fileURLToPath } from "node:url";
import { loadServer } from "../load/load-server.ts";
import type { Bench, Measure } from "../measure.ts";
import { alternate, compareRounds, median } from "../statistics.ts";
import { createHubFolder } from "../subjects/hub-folder.ts";
import { startHub } from "../subjects/hub-program.ts";
import { findWhoami } from "../subjects/whoami.ts";

/** The same calls with an OAuth token and with a personal token, in turns on one hub. */
export const oauth: Measure = {
  name: "oauth",
  async run(bench: Bench) {
    const { rounds, seconds } = bench.plan;
    const { dataDir, token } = await createHubFolder(bench);
    const oauthToken = await connectApplication(dataDir);
    await using hub = await startHub(bench, dataDir);
    const load = async (bearer: string) => {
      const whoami = await findWhoami({ url: hub.url, token: bearer });
      return () => loadServer({ ...whoami, pid: hub.pid }, seconds);
    };
    const byPersonal = await load(token);
    const byOAuth = await load(oauthToken);
    await byPersonal();
    await byOAuth();
    const runs = await alternate(rounds, { personal: byPersonal, oauth: byOAuth });
    // Compares processor time, because calls per second depend more on other programs.
    const share = compareRounds(
      runs.oauth,
      runs.personal,
      (one, other) => (100 * one.cpuUs) / other.cpuUs,
    );
    return [
      {
        what: "processor time of hub_execute by OAuth token, 32 connections",
        value: share,
        unit: "% of personal token",
        target: { atMost: 105 },
        details: {
          oauth_calls_per_s: median(runs.oauth.map((run) => run.perSecond)),
          personal_calls_per_s: median(runs.personal.map((run) => run.perSecond)),
          oauth_cpu_us_per_call: median(runs.oauth.map((run) => run.cpuUs)),
          personal_cpu_us_per_call: median(runs.personal.map((run) => run.cpuUs)),
        },
      },
    ];
  },
};

/** Runs in a separate process, so that the load generator's heap stays small. */
async function connectApplication(dataDir: string): Promise<string> {
  const program = fileURLToPath(import.meta.resolve("../subjects/connect-application.ts"));
  const child = Bun.spawn([process.execPath, program, dataDir], { stdio: ["ignore", "pipe", 2] });
  const printed = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error("The application could not be connected.");
  return printed.trim();
}
