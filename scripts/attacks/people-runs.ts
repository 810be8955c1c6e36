/**
 * Asks for a run of many steps at every address that shows it, alone and many times at once, as its owner may.
 * Prints for each attack how long the event loop's thread worked in one go, all processor time and the memory:
 * `bun scripts/attacks/people-runs.ts [--only TEXT] [--hub CHECKOUT] [--steps NUMBER]`.
 * Also how long the longest request of another user took. The exit code is 1 if an attack exceeds the law of
 * `request-cost/law.ts`, counted by the bytes of the answers. Linux only, about two minutes.
 */
import { Database } from "bun:sqlite";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { waitFor } from "../../test/support/wait-for.ts";
import { openWorkflowHub } from "../../test/support/workflow-hub.ts";
import { createJudge } from "./support/judge.ts";
import { startWatchedHub } from "./support/watched-hub.ts";

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    hub: { type: "string" },
    steps: { type: "string", default: "20000" },
  },
});
const checkout = resolve(flags.hub ?? join(import.meta.dirname, "../.."));
const steps = Number(flags.steps);

await using watched = await startWatchedHub({ main: join(checkout, "packages/cli/src/hub.ts") });
const { hub } = watched;
const workflows = await openWorkflowHub(hub);
const judge = createJudge(watched, flags.only);
await hub.cli("user", "add", "other@localhost");
const made = await hub.cli(
  "token",
  "create",
  "--user",
  "other@localhost",
  "--name",
  "m",
  "--scope",
  "manage",
  "--json",
);
const otherToken = made.json<{ token: string }>().token;
await hub.cli("user", "add", "ada@localhost");
const ada = await hub.cli(
  "token",
  "create",
  "--user",
  "ada@localhost",
  "--name",
  "m",
  "--scope",
  "manage",
  "--json",
);
const token = ada.json<{ token: string }>().token;

const path = "/manager/api/workflows";
const { body: flow } = await workflows.api(
  "POST",
  path,
  {
    name: "Many steps",
    body: {
      triggers: [{ id: "start", type: "manual", entry: "first" }],
      nodes: [
        { id: "first", type: "set", value: 1 },
        { id: "pause", type: "wait", seconds: 3600 },
      ],
      edges: [{ from: "first", to: "pause" }],
    },
  },
  token,
);
await workflows.api("POST", `${path}/${flow.id}/publish`, { revision: 1 }, token);
const runs = `${path}/${flow.id}/runs`;
const started = await workflows.api("POST", runs, {}, token);
const run = `${runs}/${started.body.run_id}`;
await waitFor(
  async () => (await workflows.api("GET", run, undefined, token)).body.state === "waiting",
);

/** What nodes with 10,000 items each leave: the steps of a run, with small outputs. */
{
  using db = new Database(join(hub.dataDir, "hub.sqlite"));
  db.run("pragma busy_timeout = 5000");
  db.run(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${steps - 1})
     insert into workflow_steps (run_id, node_id, item, position, state, tries, started_at, ended_at, input, output, flags)
     select run_id, 'items', i, 10 + i, state, 1, started_at, ended_at, '{"item":{"id":17,"name":"one"}}', '{"ok":true,"text":"some words"}', flags
     from workflow_steps, n where run_id = '${started.body.run_id}' and node_id = 'first'`,
  );
}

const headers = { authorization: `Bearer ${token}` };
const sizes: { [address: string]: number } = {};
async function get(address: string, accept = "application/json"): Promise<string> {
  const answer = await fetch(`${hub.url}${address}`, { headers: { ...headers, accept } });
  const text = await answer.text();
  sizes[address] = text.length;
  return `${answer.status} ${text.length} ${text.slice(0, 60)}`;
}

/** Repeats a request of another user during the attack, and says how long the longest took. */
async function besideOther(attack: () => Promise<string>): Promise<string> {
  let isOver = false;
  let longest = 0;
  const poll = (async () => {
    while (!isOver) {
      const at = performance.now();
      await (
        await fetch(`${hub.url}/profile/api/me`, {
          headers: { authorization: `Bearer ${otherToken}` },
        })
      ).text();
      longest = Math.max(longest, performance.now() - at);
      await Bun.sleep(5);
    }
  })();
  const answer = await attack();
  isOver = true;
  await poll;
  return `other ${longest.toFixed(0)} ms; ${answer}`;
}

const addresses = [run, `${run}/events`, `${run}/body`, `${run}/diagnosis`, `${run}/resume`, runs];
for (const address of addresses) {
  const name = address.replace(run, "run").replace(runs, "runs");
  // Its size is known from a first request.
  await get(address);
  const bytes = sizes[address] ?? 0;
  await judge.attack(`GET ${name}`, { bytes, requests: 1 }, () => get(address));
  await judge.attack(`GET ${name} 20 times at once`, { bytes: 20 * bytes, requests: 20 }, () =>
    besideOther(async () => {
      const all = await Promise.all(Array.from({ length: 20 }, () => get(address)));
      return all.at(-1) ?? "";
    }),
  );
}

/** Each reads the past of the run. */
await judge.attack(
  "32 followers",
  { bytes: 32 * (sizes[`${run}/events`] ?? 0), requests: 32 },
  () =>
    besideOther(async () => {
      const stop = new AbortController();
      let received = 0;
      const follow = async () => {
        const answer = await fetch(`${hub.url}${run}/events`, {
          headers: { ...headers, accept: "text/event-stream" },
          signal: stop.signal,
        });
        for await (const part of answer.body ?? []) received += part.length;
      };
      const followers = Array.from({ length: 32 }, () => follow().catch(() => {}));
      await Bun.sleep(8_000);
      stop.abort();
      await Promise.all(followers);
      return `${received} bytes`;
    }),
);
judge.end();
// An exit does not wait for what is disposed of at the end.
await watched[Symbol.asyncDispose]();
process.exit();
