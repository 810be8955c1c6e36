import { loadServer } from "../load/load-server.ts";
import type { Bench, Measure } from "../measure.ts";
import { alternate, compareRounds, median } from "../statistics.ts";
import { createHubFolder } from "../subjects/hub-folder.ts";
import { runHub, startHub } from "../subjects/hub-program.ts";
import { findWhoami } from "../subjects/whoami.ts";

const browsers = 8;
const email = "storm@example.com";

/** Calls while browsers sign in continuously, compared with the same calls alone. */
export const signIn: Measure = {
  name: "sign-in",
  async run(bench: Bench) {
    const { rounds, seconds } = bench.plan;
    const { dataDir, token } = await createHubFolder(bench);
    await runHub(dataDir, ["user", "add", email]);
    const password = readPassword(await runHub(dataDir, ["user", "password", email]));
    await using hub = await startHub(bench, dataDir);
    const whoami = await findWhoami({ url: hub.url, token });
    const alone = () => loadServer({ ...whoami, pid: hub.pid }, seconds);
    const signInsPerSecond: number[] = [];
    const beside = async () => {
      const storm = startStorm(hub.url, password);
      const load = await alone();
      signInsPerSecond.push((await storm.end()) / seconds);
      return load;
    };
    await alone();
    await beside();
    const runs = await alternate(rounds, { alone, beside });
    const ratio = compareRounds(
      runs.beside,
      runs.alone,
      (one, other) => one.perSecond / other.perSecond,
    );
    return [
      {
        what: `hub_execute at 32 connections while ${browsers} browsers sign in continuously`,
        value: ratio,
        unit: "× alone",
        // One hash at a time uses one of the machine's two cores, which the load generator shares.
        target: { atLeast: 0.5 },
        details: {
          calls_per_s: median(runs.beside.map((run) => run.perSecond)),
          alone_calls_per_s: median(runs.alone.map((run) => run.perSecond)),
          sign_ins_per_s: median(signInsPerSecond),
        },
      },
    ];
  },
};

/** Each browser sends its form again after each sign-in. `end` throws if a sign-in failed. */
function startStorm(url: string, password: string) {
  let isEnded = false;
  let count = 0;
  const storm = Array.from({ length: browsers }, async () => {
    const page = await fetch(`${url}/auth/login`);
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const cookie = page.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    while (!isEnded) {
      const body = new URLSearchParams({ csrf, email, password });
      const init = { method: "POST", headers: { cookie }, body, redirect: "manual" } as const;
      const { status } = await fetch(`${url}/auth/login`, init);
      if (status !== 303) throw new Error(`A sign-in was answered ${status}.`);
      count += 1;
    }
  });
  // Reported at the end, because nothing awaits it earlier.
  const all = Promise.all(storm);
  all.catch(() => {});
  return {
    async end() {
      isEnded = true;
      await all;
      return count;
    },
  };
}

function readPassword(made: unknown): string {
  const { one_time_password: password } = Object(made);
  if (typeof password !== "string") throw new Error("There is no one-time password.");
  return password;
}
