/**
 * Lets servers of earlier versions go on while this version migrates their PostgreSQL database:
 * `bun test/oracles/try-old-servers.ts [MIGRATIONS]`. For each of the newest migrations, one by default, a
 * server of the commit before it answers on warm connections, before, during and after. Each of those
 * commits is checked out into a folder of its own, so the clone needs its history. The exit code is 1 if an answer
 * is 500 or another one than before. Servers of before migration 030 fail where one adds a column: their queries
 * do not name the columns.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startPostgres } from "../support/postgres-server.ts";
import { type RequestOf, startOldServer } from "./support/old-server.ts";

const checkout = resolve(import.meta.dirname, "../..");
const migrations = "packages/server/src/store/postgres/migrations";
const count = Number(process.argv[2] ?? 1);
const roundsBefore = 20;
const roundsAfter = 100;

const names = readdirSync(join(checkout, migrations))
  .filter((name) => name.endsWith(".sql"))
  .sort();
await using postgres = await startPostgres();
let hasFailed = false;
for (const name of names.slice(-count)) {
  const commit = run([
    "git",
    "log",
    "-m",
    "--first-parent",
    "--diff-filter=A",
    "--format=%H",
    "-1",
    "--",
    join(migrations, name),
  ]);
  const folder = await mkdtemp(join(tmpdir(), "hub-old-server-"));
  run(["git", "worktree", "add", "--detach", "--quiet", folder, `${commit}^`]);
  try {
    install(folder);
    hasFailed = !(await tryMigration(name, folder)) || hasFailed;
  } finally {
    run(["git", "worktree", "remove", "--force", folder]);
  }
}
process.exit(hasFailed ? 1 : 0);

async function tryMigration(name: string, folder: string): Promise<boolean> {
  const url = await postgres.createDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-old-data-"));
  await using server = await startOldServer(folder, {
    HUB_DATABASE_URL: url,
    HUB_DATA_DIR: dataDir,
  });
  const before = new Map<string, number>();
  for (let round = 0; round < roundsBefore; round += 1) {
    for (const request of server.requests) before.set(request.name, await request.send());
  }
  const faults: string[] = [];
  let answers = 0;
  const sendAll = async () => {
    for (const request of server.requests) {
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
  await rm(dataDir, { recursive: true });
  const seen = [...new Set(faults)].slice(0, 10).join("; ");
  const refused = [...before].filter(([, status]) => status >= 400).map(([one]) => one);
  console.log(
    `${name}: ${answers} answers to ${server.requests.length} kinds of requests, ${faults.length} that differ. ${seen}`,
  );
  if (refused.length > 0)
    console.log(`  refused before the migration already: ${refused.join(", ")}`);
  return faults.length === 0 && refused.length === 0;
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

/** The packages of this checkout, if they are the same. */
function install(folder: string): void {
  const lockOf = (of: string) => readFileSync(join(of, "package-lock.json"), "utf8");
  const own = join(checkout, "node_modules");
  // Workspace packages are links, which lead to the sources of their own checkout.
  if (lockOf(folder) !== lockOf(checkout) || !existsSync(own)) {
    run(["npm", "ci", "--no-audit", "--no-fund"], folder);
    return;
  }
  run(["cp", "-a", own, folder]);
}

function run(command: string[], cwd = checkout): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd });
  if (exitCode === 0) return stdout.toString().trim();
  throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
}
