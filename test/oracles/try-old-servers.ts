/**
 * Lets servers of earlier versions go on while this version migrates their database, on PostgreSQL and on SQLite:
 * `bun test/oracles/try-old-servers.ts [MIGRATIONS | --commit COMMIT]`. For each of the newest migrations, one by
 * default, a server of before it answers on warm connections, before, during and after: of the newest commit whose
 * database this version upgrades, or of the named one. Then a server of this version runs beside it: each reads what
 * the other one writes. Each of those commits is checked out into a folder of its own, so the clone needs its history.
 * The exit code is 1 if an answer is 500 or another one than before, or if the two servers differ. Servers of before
 * migration 030 fail where one adds a column: their queries do not name the columns.
 */
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { startPostgres } from "../support/postgres-server.ts";
import { checkOut, checkout, run } from "./support/old-checkout.ts";
import {
  type OldServer,
  type RequestOf,
  startOldServer,
  startServer,
} from "./support/old-server.ts";

const migrations = "packages/server/src/store/migrations";
const roundsBefore = 20;
const roundsAfter = 100;
const idsSchema = z.object({ runs: z.array(z.object({ id: z.string() })) });

const waitMsMax = 60_000;

const [given = "1", named = "HEAD"] = process.argv.slice(2);
const trials = given === "--commit" ? [{ name: named, commit: named }] : listTrials(Number(given));
await using postgres = await startPostgres();
let hasFailed = false;
for (const { name, commit } of trials) {
  await using old = await checkOut(commit);
  for (const database of ["PostgreSQL", "SQLite"] as const)
    hasFailed = !(await tryMigration(database, name, old.folder)) || hasFailed;
}
process.exit(hasFailed ? 1 : 0);

/** The newest migrations, oldest first, and the commits before them. */
function listTrials(count: number): Array<{ name: string; commit: string }> {
  const names = readdirSync(join(checkout, migrations))
    .filter((name) => name.endsWith(".sql"))
    .sort();
  const log = ["git", "log", "-m", "--first-parent", "--diff-filter=A", "--format=%H", "-1", "--"];
  const trials = names.slice(-count).map((name) => {
    const commit = run([...log, join(migrations, name)]);
    return { name, commit: findNeighbour(`${commit}^`) };
  });
  // What several migrations have before them is tried once, with all of them.
  return [...new Map(trials.toReversed().map((trial) => [trial.commit, trial])).values()].reverse();
}

/**
 * The newest of a commit and those before it whose migrations are all in this version. Others had a migration by another
 * number or text while it was being developed: this version refuses their databases.
 */
function findNeighbour(commit: string): string {
  const listOf = (of: string) => run(["git", "ls-tree", of, `${migrations}/`]).split("\n");
  const own = new Set(listOf("HEAD"));
  const all = run(["git", "rev-list", "--first-parent", commit]).split("\n");
  const found = all.find((one) => listOf(one).every((line) => own.has(line)));
  if (found === undefined)
    throw new Error(`No commit before ${commit} has migrations of this one.`);
  return found;
}

async function tryMigration(
  database: "PostgreSQL" | "SQLite",
  name: string,
  folder: string,
): Promise<boolean> {
  await using folders = new AsyncDisposableStack();
  const makeFolder = async () => {
    const path = await mkdtemp(join(tmpdir(), "hub-old-data-"));
    folders.defer(() => rm(path, { recursive: true }));
    return path;
  };
  const dataDir = await makeFolder();
  await using server = await startOldServer(folder, {
    HUB_DATA_DIR: dataDir,
    ...(database === "PostgreSQL" && { HUB_DATABASE_URL: await postgres.createDatabase() }),
  });
  const before = new Map<string, number>();
  for (let round = 0; round < roundsBefore; round += 1) {
    for (const request of server.requests) before.set(request.name, await request.send());
  }
  const faults: string[] = [];
  let answers = 0;
  const sendAll = async (requests = server.requests) => {
    for (const request of requests) {
      answers += 1;
      const status = await request.send();
      if (status !== before.get(request.name)) faults.push(describe(request, before, status));
    }
  };
  let isMigrated = false;
  const migrating = migrate(server.env).then(() => {
    isMigrated = true;
  });
  while (!isMigrated) await sendAll();
  await migrating;
  for (let round = 0; round < roundsAfter; round += 1) await sendAll();
  // On PostgreSQL each server has its own folder; processes of two versions may share the one of SQLite.
  const newDir = database === "SQLite" ? dataDir : await makeFolder();
  {
    await using beside = await startServer(checkout, { ...server.env, HUB_DATA_DIR: newDir });
    const requests = server.toRequests(beside.url);
    for (let round = 0; round < roundsBefore; round += 1) {
      await sendAll();
      await sendAll(requests);
    }
    faults.push(...(await findDifferences(server, beside.url)));
  }
  const seen = [...new Set(faults)].slice(0, 10).join("; ");
  const refused = [...before].filter(([, status]) => status >= 400).map(([one]) => one);
  console.log(
    `${name} on ${database}: ${answers} answers to ${server.requests.length} kinds of requests, ${faults.length} that differ. ${seen}`,
  );
  if (refused.length > 0)
    console.log(`  refused before the migration already: ${refused.join(", ")}`);
  return faults.length === 0 && refused.length === 0;
}

/** Whether both read the same calls and runs, and all runs of the workflow succeed. */
async function findDifferences(server: OldServer, url: string): Promise<string[]> {
  const readIds = async (at: string, path: string) =>
    idsSchema.parse(await server.read(at, path)).runs.map(({ id }) => id);
  const ofWorkflow = `${server.workflowPath}/runs`;
  const count = async (state: string) =>
    (await readIds(url, `${ofWorkflow}?state=${state}`)).length;
  const until = Date.now() + waitMsMax;
  while ((await count("queued")) + (await count("running")) > 0 && Date.now() < until)
    await Bun.sleep(100);
  const differences: string[] = [];
  for (const path of ["/manager/api/runs", ofWorkflow]) {
    const [own, others] = [await readIds(server.url, path), await readIds(url, path)];
    if (own.length === 0 || own.join() !== others.join())
      differences.push(`${path}: the servers list different runs`);
  }
  for (const state of ["queued", "running", "failed"]) {
    const found = await count(state);
    if (found > 0) differences.push(`${found} runs are ${state}`);
  }
  return differences;
}

function describe(request: RequestOf, before: ReadonlyMap<string, number>, status: number): string {
  return `${request.name}: ${before.get(request.name)} before, ${status} now`;
}

async function migrate(env: Record<string, string>): Promise<void> {
  const hub = join(checkout, "packages/cli/src/hub.ts");
  const child = Bun.spawn([process.execPath, hub, "migrate"], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await child.exited) !== 0) throw new Error("The database could not be migrated.");
}
