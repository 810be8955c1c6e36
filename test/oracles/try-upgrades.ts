/**
 * Upgrades hubs of earlier versions to this one and goes back, by the steps of docs/guide/upgrade.md:
 * `bun test/oracles/try-upgrades.ts [--checkouts FOLDER] [--fixtures FOLDER] [--rolling COMMIT] [COMMIT…]`. Each hub is
 * made by the program of its commit, with users, tokens, a row with a secret, calls and, where the version has them,
 * workflow runs that wait. After the upgrade and after the way back all of it has to work, and the runs have to go on. Then two
 * servers of PostgreSQL are replaced under load, from the commit of `--rolling`, or of the version before the newest
 * migration. `--checkouts` keeps the checkouts for the next time, `--fixtures` the SQLite databases before the upgrade.
 * PostgreSQL is that of HUB_TEST_DATABASE_URL or of a package; the way back needs `pg_dump` and `pg_restore` of its
 * version. The exit code is 1 if a step fails.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { goBackByGuide } from "../support/go-back.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { checkOut, checkOutIn, checkout, run } from "./support/old-checkout.ts";
import { updateUnderLoad } from "./support/rolling-update.ts";
import { defineHub, type Hub, runCommand, startHubOf, tryCommand } from "./support/upgrade-hub.ts";
import {
  checkSubjects,
  checkWaiting,
  makeSubjects,
  openShop,
  type Subjects,
} from "./support/upgrade-subjects.ts";

/** The first version with each: SQLite only, workflows, approvals. */
const defaults = ["9469af8", "b3b3faa", "8eb9bf3"];
const migrations = "packages/server/src/store/migrations";

const { values, positionals } = parseArgs({
  options: {
    checkouts: { type: "string" },
    fixtures: { type: "string" },
    rolling: { type: "string" },
  },
  allowPositionals: true,
});
await using stack = new AsyncDisposableStack();
const postgres = stack.use(await startPostgres());
let faultCount = 0;

const named = positionals.filter((each) => each !== "none");
for (const commit of positionals.length > 0 ? named : defaults) {
  const folder = await findCheckout(commit);
  const hasPostgres = existsSync(join(folder, "packages/server/src/store/postgres"));
  for (const database of hasPostgres ? ["SQLite", "PostgreSQL"] : ["SQLite"]) {
    await attempt(`${commit} on ${database}`, () => tryUpgrade(commit, folder, database));
  }
}
await attempt("a rolling update under load", tryRolling);
process.exit(faultCount === 0 ? 0 : 1);

async function attempt(name: string, work: () => Promise<string>): Promise<void> {
  try {
    console.log(`ok    ${name}: ${await work()}`);
  } catch (err) {
    faultCount += 1;
    console.log(`FAIL  ${name}: ${err instanceof Error ? err.stack : err}`);
  }
}

async function findCheckout(commit: string): Promise<string> {
  if (values.checkouts !== undefined) return await checkOutIn(values.checkouts, commit);
  return stack.use(await checkOut(commit)).folder;
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hub-upgrade-"));
  stack.defer(() => rm(folder, { recursive: true }));
  return folder;
}

async function tryUpgrade(commit: string, old: string, database: string): Promise<string> {
  const isShared = database === "PostgreSQL";
  const hub = defineHub(await makeFolder(), isShared ? await postgres.createDatabase() : undefined);
  using shop = openShop(hub.env.SHOP_TOKEN ?? "");
  const subjects = await withServer(old, hub, (url) => makeSubjects(old, hub, url, shop));
  if (!isShared && values.fixtures !== undefined) await keepFixture(commit, hub, subjects);
  const dump = isShared ? join(hub.dataDir, "hub.dump") : null;
  if (dump !== null) run(["pg_dump", "-Fc", "-f", dump, hub.env.HUB_DATABASE_URL ?? ""]);

  checkWaiting(shop);
  await expectRefusal(hub);
  const at = { subjects, shop };
  await withServer(checkout, hub, async (url) => {
    await checkSubjects(checkout, hub, url, at);
    await runCommand(checkout, hub, ["doctor"]);
  });
  if (dump === null) await goBackByGuide(hub.dataDir);
  const back = dump === null ? hub : await goBackTo(hub, dump);
  await withServer(old, back, (url) => checkSubjects(old, back, url, at));
  const runs = [subjects.waitPath, subjects.approvalPath].filter((path) => path !== null).length;
  return `upgraded and back, with ${runs} kinds of waiting runs`;
}

async function withServer<T>(
  folder: string,
  hub: Hub,
  work: (url: string) => Promise<T>,
): Promise<T> {
  await using server = await startHubOf(folder, hub);
  return await work(server.url);
}

/** Commands do not upgrade. */
async function expectRefusal(hub: Hub): Promise<void> {
  const { exitCode, stderr } = await tryCommand(checkout, hub, ["user", "list"]);
  if (exitCode === 1 && stderr.includes("is of an older version")) return;
  throw new Error(`hub user list was not refused: ${exitCode} ${stderr}`);
}

async function goBackTo(hub: Hub, dump: string): Promise<Hub> {
  const url = await postgres.createDatabase();
  run(["pg_restore", "-d", url, dump]);
  return { ...hub, env: { ...hub.env, HUB_DATABASE_URL: url } };
}

/** The database of a stopped hub, for test/upgrade.test.ts. */
async function keepFixture(commit: string, { dataDir }: Hub, subjects: Subjects): Promise<void> {
  const { fixtures = "" } = values;
  await mkdir(fixtures, { recursive: true });
  const bytes = await Bun.file(join(dataDir, "hub.sqlite")).bytes();
  await Bun.write(join(fixtures, `${commit}.sqlite.gz`), Bun.gzipSync(bytes, { level: 9 }));
  await Bun.write(join(fixtures, `${commit}.json`), `${JSON.stringify(subjects, null, 2)}\n`);
}

async function tryRolling(): Promise<string> {
  const commit = values.rolling ?? findNeighbour();
  const { calls, faults } = await updateUnderLoad({
    older: await findCheckout(run(["git", "rev-parse", "--short", commit])),
    newer: checkout,
    databaseUrl: await postgres.createDatabase(),
    folders: [await makeFolder(), await makeFolder(), await makeFolder(), await makeFolder()],
  });
  if (faults.length === 0) return `from ${commit.slice(0, 8)}, ${calls} calls, none failed`;
  throw new Error(`${faults.length} of ${calls} calls failed: ${faults.slice(0, 5).join("; ")}`);
}

/** The newest commit of the main line that has the first migrations of this checkout, by name, but not all of them. */
function findNeighbour(): string {
  const list = (commit: string) =>
    run(["git", "ls-tree", "--name-only", commit, `${migrations}/`]).split("\n");
  const own = new Set(list("HEAD"));
  const changed = ["git", "rev-list", "--first-parent", "HEAD", "--", migrations];
  const found = run(changed)
    .split("\n")
    .map((commit) => `${commit}^`)
    .find((commit) => {
      const theirs = list(commit);
      return theirs.length < own.size && theirs.every((entry) => own.has(entry));
    });
  if (found === undefined)
    throw new Error("The history has no version before the newest migration.");
  return run(["git", "rev-parse", found]);
}
