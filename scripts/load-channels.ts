/**
 * Sends events to a hub over a Slack socket, and prints what it takes until they are acknowledged:
 * `bun scripts/load-channels.ts [EVENTS A SECOND] [SECONDS] [TRIGGERS] [CHARACTERS]`. With 0 seconds,
 * that many events arrive at once. Triggers beside the one that matches have filters by text.
 */
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createDataFolder } from "../test/support/data-folder.ts";
import { startSlackEmulator } from "../test/support/slack-emulator/slack-emulator.ts";
import { startHub } from "../test/support/start-hub.ts";
import { waitFor } from "../test/support/wait-for.ts";
import { openWorkflowHub } from "../test/support/workflow-hub.ts";

const [rate = 1_000, seconds = 5, triggers = 0, chars = 100] = process.argv.slice(2).map(Number);

await using folder = await createDataFolder();
const lagFile = join(folder.path, "..", `lag-${crypto.randomUUID()}`);
await using slack = startSlackEmulator();
await using hub = await startHub({
  env: {
    BUN_OPTIONS: `--preload ${join(import.meta.dirname, "../test/support/loop-lag.ts")}`,
    HUB_TEST_LAG_FILE: lagFile,
  },
});
const { api, publish } = await openWorkflowHub(hub);
const user = slack.workspace.addUser("ada");
const channel = slack.workspace.addChannel("ops", { members: [user] });
const { botToken, appToken, signingSecret } = slack.workspace;
const tokens = { bot_token: botToken, app_token: appToken, signing_secret: signingSecret };
const values = { base_url: slack.apiUrl, ...tokens };
await api("POST", "/manager/api/rows", { connector: "slack", label: "Work", values });

const listen = (id: string, text: string) => ({
  id,
  type: "channel" as const,
  entry: "done",
  channel: "work",
  event: "message",
  match: { text_contains: text },
});
const nodes = [{ id: "done", type: "set" as const, value: "done" }];
await publish({ triggers: [listen("said", "load")], nodes, edges: [] });
if (triggers > 0) addTriggers();
await slack.connected();

/** Sends one event and records how long its acknowledgement took. */
const latencies: number[] = [];
const padding = "x".repeat(Math.max(0, chars - 20));
async function send(at: number): Promise<void> {
  const sentAt = performance.now();
  const [delivery] = slack.post({ channel, user, text: `load ${at} ${padding}` }).deliveries;
  await delivery?.outcome;
  latencies.push(performance.now() - sentAt);
}

await send(-1);
latencies.length = 0;
const readLags = () => readFileSync(lagFile, "utf8").trim().split("\n").map(Number);
await waitFor(() => readLags().length > 2);
const lagsBefore = readLags().length;
const cpuBefore = readCpuS();
const startedAt = performance.now();
const total = seconds === 0 ? rate : rate * seconds;
const sending: Promise<void>[] = [];
for (let at = 0; at < total; ) {
  const due = seconds === 0 ? total : ((performance.now() - startedAt) / 1000) * rate;
  for (; at < Math.min(due, total); at += 1) sending.push(send(at));
  await Bun.sleep(2);
}
await Promise.all(sending);
const tookS = (performance.now() - startedAt) / 1000;
const cpuS = readCpuS() - cpuBefore;
const lags = readLags().slice(lagsBefore);
const at = (share: number, of: number[]) =>
  of.toSorted((a, b) => a - b)[Math.min(of.length - 1, Math.floor(of.length * share))] ?? 0;
const print = (name: string, value: string) => console.log(`${name.padEnd(34)} ${value}`);
print("events", `${total} of ${chars} characters, ${triggers + 1} triggers`);
print("acknowledged a second", (total / tookS).toFixed(0));
print(
  "acknowledged after ms p50, p99, max",
  [0.5, 0.99, 1].map((share) => at(share, latencies).toFixed(0)).join(", "),
);
print(
  "pause of the hub's event loop, ms",
  `p99 ${at(0.99, lags).toFixed(0)}, max ${at(1, lags).toFixed(0)}`,
);
print("processor time of the hub, s", cpuS.toFixed(2));
print("faults", String(slack.workspace.faults.length));

/** An owner may publish 100, so these are written beside the hub: copies with other texts. */
function addTriggers(): void {
  using db = new Database(join(hub.dataDir, "hub.sqlite"));
  db.run(
    `insert into workflow_triggers (workflow_id, trigger_id, type, entry, settled_at, channel, event, match_filters)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?1)
     select workflow_id, 'other' || n, type, entry, settled_at, channel, event, '{"text_contains":"other ' || n || '"}'
     from workflow_triggers, numbers`,
    [triggers],
  );
}

/** Of the hub's process. */
function readCpuS(): number {
  const fields = readFileSync(`/proc/${hub.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
