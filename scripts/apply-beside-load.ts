/**
 * Applies a hub file of many rows beside a server under load: `bun scripts/apply-beside-load.ts [rows] [kills]`.
 * Prints the longest call idle, beside dry runs and beside a real run, and kills `hub apply` at random times.
 * The exit code is 1 if a call fails or a killed command leaves a part of the file.
 */
import { join, resolve } from "node:path";
import { toProgramCommand } from "../test/support/compile-programs.ts";
import { addCallTargets, kinds, makeCall } from "../test/support/mixed-calls.ts";
import { toHubEnv } from "../test/support/run-cli.ts";
import { startHub } from "../test/support/start-hub.ts";

const rowsCount = Number(process.argv[2] ?? 5_000);
const killsCount = Number(process.argv[3] ?? 20);
const main = resolve(import.meta.dirname, "../test/support/fixture-hub.ts");
await using hub = await startHub({ main });
const targets = await addCallTargets(hub);
const { greet } = kinds;
if (greet === undefined) throw new Error("There is no call that succeeds.");
const call = greet.toCall(targets);
let failures = 0;

const toFile = (prefix: string) =>
  JSON.stringify({
    hub_file: 1,
    rows: Array.from({ length: rowsCount }, (_, at) => ({
      ...{ connector: "fixture", label: `${prefix} ${at}`, tags: ["many"] },
      values: { secret: "env:SECRET" },
    })),
  });

function startApply(name: string, ...options: string[]) {
  const env = { SECRET: "s3cr3t-of-the-rows-9fK2xQ7v" };
  return Bun.spawn([...toProgramCommand(main, {}), "apply", name, "--json", ...options], {
    env: toHubEnv({ dataDir: hub.dataDir, env }),
    ...{ cwd: hub.dataDir, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  });
}

/** Four clients call while `work` runs. Prints the longest wait for an answer. */
async function measure(title: string, work: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const waits: number[] = [];
  const clients = Array.from({ length: 4 }, async (_, client) => {
    while (!isOver) {
      const startedAt = performance.now();
      const context = { url: hub.url, targets, marker: `${title}/${client}/${waits.length}/` };
      const { status } = await makeCall(context, call);
      waits.push(performance.now() - startedAt);
      if (status !== "success") failures += 1;
    }
  });
  const startedAt = performance.now();
  await work();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  isOver = true;
  await Promise.all(clients);
  const longest = waits.sort((one, other) => other - one).slice(0, 3);
  console.log(
    `${title}: ${seconds} s, ${waits.length} calls, longest ${longest.map(Math.round).join(", ")} ms, ${failures} failed`,
  );
}

async function applyWhole(name: string, ...options: string[]): Promise<void> {
  const command = startApply(name, ...options);
  if ((await command.exited) !== 0) throw new Error(await command.stderr.text());
}

async function countRows(prefix: string): Promise<number> {
  const rows = (await hub.cli("row", "list", "--json")).json<{ label: string }[]>();
  return rows.filter(({ label }) => label.startsWith(`${prefix} `)).length;
}

await Bun.write(join(hub.dataDir, "first.yaml"), toFile("first"));
await measure("idle", () => Bun.sleep(8_000));
await measure("dry run", () => applyWhole("first.yaml", "--dry-run"));
const startedAt = performance.now();
await measure("real run", () => applyWhole("first.yaml"));
const applyMs = performance.now() - startedAt;
await measure("idle again", () => Bun.sleep(8_000));

const left = new Map<number, number>();
for (let kill = 0; kill < killsCount; kill += 1) {
  const prefix = `kill-${kill}`;
  await Bun.write(join(hub.dataDir, "kill.yaml"), toFile(prefix));
  const command = startApply("kill.yaml");
  await Promise.race([command.exited, Bun.sleep(applyMs * (0.4 + 0.8 * Math.random()))]);
  command.kill("SIGKILL");
  await command.exited;
  const count = await countRows(prefix);
  left.set(count, (left.get(count) ?? 0) + 1);
  if (count !== 0 && count !== rowsCount) failures += 1;
}
console.log("rows that kills left:", Object.fromEntries(left));
process.exitCode = failures > 0 ? 1 : 0;
