/** `hub db copy`: a data folder becomes a PostgreSQL database. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { craftPlugin, writePluginFolder } from "@hub/server/plugins/testing/craft-plugin.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { openAtRest, sealAtRest } from "@hub/server/secrets/at-rest/at-rest.ts";
import { toWorkflowSecretLocation } from "@hub/server/secrets/at-rest/secret-locations.ts";
import { createKeyRing, parseKeyList } from "@hub/server/secrets/keys/key-ring.ts";
import { readKeyFile } from "@hub/server/store/data-folder/key-file.ts";
import { openStore } from "@hub/server/store/open-store.ts";
import { newWorkflow } from "@hub/server/store/test-data.ts";
import { findUserByEmail } from "@hub/server/store/users/users-table.ts";
import { insertWorkflow } from "@hub/server/store/workflows/workflow-changes.ts";
import { putWorkflowSecret } from "@hub/server/store/workflows/workflow-secrets.ts";
import { publishDraft } from "@hub/server/store/workflows/workflow-versions-table.ts";
import { SQL } from "bun";
import {
  nightlyDescribe,
  nightlyTest,
} from "../../packages/server/src/lib/testing/nightly-test.ts";
import { bundleMain } from "../support/bundle-main.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { postRpc, toToolCall } from "../support/rpc.ts";
import { type CliResult, hubMain, runCli, toHubEnv } from "../support/run-cli.ts";
import { startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(180_000);

type Folder = Awaited<ReturnType<typeof createDataFolder>>;
type Report = {
  continued: boolean;
  migrated: string[];
  tables: Array<{ name: string; rows: number; digest: string }>;
  sealing: string;
  keys: string[];
};

/** Settings that make a hub use SQLite, also if the other tests use PostgreSQL. */
const sqlite = { HUB_DATABASE_URL: "", HUB_ENC_KEY: "" };
const newKey = "7c".repeat(32);
let server: PostgresServer;
/** A folder with a user, a row with a secret, calls, and values that are hard to copy. */
let original: Folder;
let token: string;
let oldKey: string;

beforeAll(async () => {
  server = await startPostgres();
  original = await createDataFolder();
  const dataDir = original.path;
  await using hub = await startHub({ dataDir, env: sqlite });
  token = (await hub.addUser("ann@example.com", { tags: ["sales"] })).token;
  const added = await hub.tryCli(
    ["row", "add", "http", "--label", "Shop", "--set", "base_url=https://shop.example.com"].concat([
      "--set",
      "auth_mode=bearer",
      "--secret-stdin",
      "token",
    ]),
    { stdin: "s3cret-of-the-row-9fK2xQ7vLm4R" },
  );
  if (added.exitCode !== 0) throw new Error(added.stderr);
  await storeWorkflow(dataDir);
  expect((await postRpc(hub.url, token, toToolCall("hub_list", {}))).status).toBe(200);
  await hub.stop();
  storeHardValues(dataDir);
  oldKey = await readKeys(original);
});
afterAll(async () => {
  await original[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const place = toWorkflowSecretLocation("report-1", "KEY");

/** A workflow of Ann with a version and a secret. */
async function storeWorkflow(dataDir: string): Promise<void> {
  const store = await openStore({ dataDir });
  try {
    const { db } = store;
    const ann = await findUserByEmail(db, "ann@example.com");
    if (ann === null) throw new Error("Ann is missing.");
    const workflow = newWorkflow(ann.id, { id: "report-1", tags: ["sales"] });
    await insertWorkflow(db, workflow);
    const publication = { note: "", publishedBy: ann.id, at: 1, versionsMax: 1 };
    await publishDraft(db, "report-1", publication);
    const sealed = sealAtRest(createKeyRing((await readKeyFile(dataDir)) ?? []), place, "w0rd");
    await putWorkflowSecret(db, "report-1", { name: "KEY", sealed, updatedAt: 1 });
  } finally {
    await store.close();
  }
}

const hardText = "a\0b 😀 é \u2028 \\ \"'\n";

function storeHardValues(dataDir: string): void {
  using database = new Database(join(dataDir, "hub.sqlite"));
  database.run(
    "insert into connector_runs (id, operation_key, user_id, source, status, request, request_cut, latency_ms, instance_id, started_at) values ('hard', ?, 'u', 'mcp', 'success', ?, 0, ?, 'i', 1)",
    ["op", hardText, 9007199254740993n],
  );
  const insert = "insert into embeddings (model, text_hash, vector, used_at) values (?, ?, ?, ?)";
  database.run(insert, ["m", "\u0001 \u{10ffff}", new Uint8Array([0, 255, 128, 92, 0]), 5n]);
  database.run(insert, ["M", "", new Uint8Array(), -9223372036854775808n]);
}

async function readKeys({ path }: Folder): Promise<string> {
  const shown = await runCli({ dataDir: path, env: sqlite }, ["keys", "env", "--show"]);
  return shown.stdout.trim().replace("HUB_ENC_KEY=", "");
}

/** A folder of its own, because a copy migrates it and refuses one that is in use. */
async function copyFolder(): Promise<Folder> {
  const folder = await createDataFolder();
  await cp(original.path, folder.path, { recursive: true });
  return folder;
}

type CopyOptions = { url: string; keys?: string; args?: string[] };

function toOptions(folder: Folder, { url, keys = oldKey }: CopyOptions) {
  return { dataDir: folder.path, env: { HUB_DATABASE_URL: url, HUB_ENC_KEY: keys } };
}

function runCopy(folder: Folder, options: CopyOptions): Promise<CliResult> {
  const args = ["db", "copy", "--json", ...(options.args ?? [])];
  return runCli(toOptions(folder, options), args);
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  await using database = new SQL({ url, max: 1, bigint: true });
  return [...(await database.unsafe(statement))];
}

test("A copied hub has the same users, tokens, secrets and runs", async () => {
  await using folder = await copyFolder();
  const plugin = craftPlugin({ manifest: { os_arch: [findHostPlatform()] } });
  await writePluginFolder(join(folder.path, "plugins", "tracker"), plugin);
  await writePluginFolder(join(folder.path, "plugins", "other"), plugin);
  const url = await server.createDatabase();
  const copied = await runCli(toOptions(folder, { url, keys: `${newKey},${oldKey}` }), [
    "db",
    "copy",
  ]);
  expect([copied.exitCode, copied.stderr]).toEqual([0, ""]);
  expect(copied.stdout).toContain("Counts and digests are equal in both databases.");
  expect(copied.stdout).toContain("Plugins that are installed for all servers now: tracker.");
  expect(copied.stdout).toContain("Not copied: the plugin other. The plugin other was refused");
  expect(copied.stdout).not.toContain(oldKey);

  const [run] = await query(
    url,
    "select request, latency_ms from connector_runs where id = 'hard'",
  );
  expect(run).toEqual({
    request: hardText.replace("\0", "\u2400"),
    latency_ms: 9007199254740993n,
  });
  const vectors = await query(url, "select encode(vector, 'hex') as hex, used_at from embeddings");
  expect(vectors.map(({ hex, used_at }) => [hex, used_at])).toContainValues([
    ["00ff805c00", 5n],
    ["", -9223372036854775808n],
  ]);

  const env = { HUB_DATABASE_URL: url, HUB_ENC_KEY: `${newKey},${oldKey}` };
  await using hub = await startHub({ env });
  expect((await hub.cli("plugin", "list", "--json")).json()).toMatchObject([
    { key: "tracker", version: "1.0.0", only_here: false, awaited_version: null, problem: null },
  ]);
  expect(hub.stdout()).not.toContain("First start");
  expect((await postRpc(hub.url, token, toToolCall("hub_list", {}))).status).toBe(200);
  // It opens every stored secret.
  const rotated = await hub.cli("keys", "rotate", "--json");
  expect(rotated.json<{ resealed_values: number }>().resealed_values).toBe(2);
  const [workflow] = await query(
    url,
    "select body, sealed from workflow_versions v join workflow_bodies b on b.id = v.body_id join workflow_secrets s on s.workflow_id = v.workflow_id",
  );
  expect(workflow?.body).toBe('{"schema":1}');
  const ring = createKeyRing(parseKeyList(newKey));
  // The column has bytes.
  expect(openAtRest(ring, place, workflow?.sealed as Uint8Array)).toBe("w0rd");
  await using other = await createDataFolder();
  const refused = await runCli(toOptions(other, { url, keys: oldKey }), ["user", "list"]);
  expect(refused.stderr).toContain("HUB_ENC_KEY lacks the key");
});

nightlyTest("A copy that stops while it stores the plugins is continued with them", async () => {
  await using folder = await copyFolder();
  const plugin = craftPlugin({ manifest: { os_arch: [findHostPlatform()] } });
  await writePluginFolder(join(folder.path, "plugins", "tracker"), plugin);
  const url = await server.createDatabase();
  expect((await runCli(toOptions(folder, { url }), ["migrate"])).exitCode).toBe(0);
  const fail = "create function fail() returns trigger language plpgsql as";
  await query(url, `${fail} $$ begin raise exception 'the disk failed'; end $$`);
  await query(
    url,
    "create trigger fail before insert on plugin_chunks for each row execute function fail()",
  );
  expect((await runCopy(folder, { url })).exitCode).toBe(1);
  const early = await runCli(toOptions(folder, { url }), ["user", "list"]);
  expect(early.stderr).toContain("is being filled by hub db copy, or the copy was interrupted");

  await query(url, "drop trigger fail on plugin_chunks");
  const copied = await runCopy(folder, { url });
  expect([copied.exitCode, copied.stderr]).toEqual([0, ""]);
  expect(await query(url, "select plugin_key from plugin_installs")).toEqual([
    { plugin_key: "tracker" },
  ]);
  expect((await runCli(toOptions(folder, { url }), ["user", "list"])).exitCode).toBe(0);
});

test("Every table of the hub is copied", async () => {
  await using folder = await copyFolder();
  const url = await server.createDatabase();
  const { tables } = (await runCopy(folder, { url })).json<Report>();
  using database = new Database(join(folder.path, "hub.sqlite"));
  const named = database
    .query<{ name: string }, []>("select name from sqlite_schema where type = 'table'")
    .all();
  const names = named.map(({ name }) => name).filter((name) => !/^(sqlite|migrations)/.test(name));
  expect(tables.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const { name, rows } of tables) {
    const counted = database.query<{ n: number }, []>(`select count(*) as n from "${name}"`).get();
    expect([name, counted?.n]).toEqual([name, rows]);
  }
});

describe("A copy is refused", () => {
  const refusal = async (folder: Folder, options: CopyOptions) => {
    const { exitCode, stderr } = await runCopy(folder, options);
    expect(exitCode).toBe(1);
    return String(JSON.parse(stderr).error);
  };

  test("without a key of the folder, whose value is not printed", async () => {
    await using folder = await copyFolder();
    const url = await server.createDatabase();
    const error = await refusal(folder, { url, keys: newKey });
    expect(error).toContain("HUB_ENC_KEY lacks keys of the data folder: ");
    expect(error).not.toContain(oldKey);
    expect(await query(url, "select 1 from pg_class where relname = 'users'")).toEqual([]);
  });

  test("to a database that holds another hub, which stays as it is", async () => {
    await using folder = await copyFolder();
    const url = await server.createDatabase();
    const env = { HUB_DATABASE_URL: url, HUB_ENC_KEY: newKey };
    await using other = await startHub({ env });
    await other.addUser("bob@example.com");
    const stored = await query(url, "select * from users order by id");
    for (const args of [[], ["--restart"]]) {
      const error = await refusal(folder, { url, args });
      expect(error).toContain("The database already holds a hub");
    }
    expect(await query(url, "select * from users order by id")).toEqual(stored);
  });

  nightlyTest("to the same database twice", async () => {
    await using folder = await copyFolder();
    const url = await server.createDatabase();
    expect((await runCopy(folder, { url })).exitCode).toBe(0);
    expect(await refusal(folder, { url })).toContain("The database already holds a hub");
  });

  test("while the folder's hub runs", async () => {
    await using folder = await copyFolder();
    await using _hub = await startHub({ dataDir: folder.path, env: sqlite });
    const error = await refusal(folder, { url: await server.createDatabase() });
    expect(error).toContain("The hub of the data folder runs (serve, process ");
  });

  test("of a folder without a database", async () => {
    await using folder = await createDataFolder();
    const error = await refusal(folder, { url: await server.createDatabase() });
    expect(error).toContain("has no database to copy");
  });

  test("to a database of the next version", async () => {
    await using folder = await copyFolder();
    const url = await server.createDatabase();
    const env = { HUB_DATABASE_URL: url, HUB_ENC_KEY: newKey };
    await runCli({ dataDir: folder.path, env }, ["migrate"]);
    await query(url, "insert into migrations values ('999-later', 'x', 0, 2)");
    expect(await refusal(folder, { url })).toContain("of the next version of the hub (999-later)");
  });
});

test("A folder of an older version is migrated first", async () => {
  await using folder = await copyFolder();
  {
    using database = new Database(join(folder.path, "hub.sqlite"));
    database.run("drop table embeddings");
    database.run("drop table embedding_leases");
    database.run("delete from migrations where name = '011-embeddings'");
  }
  const copied = await runCopy(folder, { url: await server.createDatabase() });
  expect(copied.stderr).toBe("");
  expect(copied.json<Report>().migrated).toEqual(["011-embeddings"]);
});

nightlyDescribe("A copy that was killed", () => {
  const runs = 30_000;

  function storeRuns(folder: Folder): void {
    using database = new Database(join(folder.path, "hub.sqlite"));
    database.run(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${runs})
      insert into connector_runs (id, operation_key, user_id, source, status, response, request_cut, instance_id, started_at)
      select printf('run-%08d', i), 'op', 'u', 'mcp', 'success', hex(zeroblob(100)), 0, 'i', i from n`,
    );
  }

  /** Kills the command when it has stored a part of the runs. */
  async function killHalfWay(folder: Folder, url: string): Promise<number> {
    const options = toOptions(folder, { url });
    const child = Bun.spawn([process.execPath, bundleMain(hubMain), "db", "copy"], {
      env: toHubEnv(options),
      cwd: folder.path,
      stdio: ["ignore", "ignore", "ignore"],
    });
    await using database = new SQL({ url, max: 1 });
    const stored = await waitFor(async () => {
      if (child.exitCode !== null) throw new Error(`The copy ended with ${child.exitCode}.`);
      const counted = await database
        .unsafe("select count(*)::int as n from connector_runs")
        .catch(() => []);
      return counted[0]?.n;
    });
    child.kill("SIGKILL");
    await child.exited;
    return stored;
  }

  test("continues, with every row once, and servers refuse the database until then", async () => {
    await using folder = await copyFolder();
    storeRuns(folder);
    const url = await server.createDatabase();
    expect(await killHalfWay(folder, url)).toBeLessThan(runs);
    const refused = await runCli(toOptions(folder, { url }), ["serve"]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining("is being filled by hub db copy, or the copy was interrupted"),
    ]);

    const report = (await runCopy(folder, { url })).json<Report>();
    expect(report.continued).toBeTrue();
    const [counted] = await query(url, "select count(*)::int as n from connector_runs");
    // One call and the hard one beside them.
    expect(counted).toEqual({ n: runs + 2 });
    expect((await runCli(toOptions(folder, { url }), ["user", "list"])).exitCode).toBe(0);
  });

  nightlyTest("begins again if the folder has changed since", async () => {
    await using folder = await copyFolder();
    storeRuns(folder);
    const url = await server.createDatabase();
    await killHalfWay(folder, url);
    {
      using database = new Database(join(folder.path, "hub.sqlite"));
      // Of a table that is complete already.
      database.run("update changes set target = 'Anna' where target = 'ann@example.com'");
    }
    const report = (await runCopy(folder, { url })).json<Report>();
    expect(report.continued).toBeFalse();
    const changes = await query(url, "select distinct target from changes order by 1");
    expect(changes.map(({ target }) => target)).toContain("Anna");
    const [counted] = await query(url, "select count(*)::int as n from connector_runs");
    expect(counted).toEqual({ n: runs + 2 });
  });

  nightlyTest("refuses another folder, unless the part is discarded", async () => {
    await using folder = await copyFolder();
    storeRuns(folder);
    const url = await server.createDatabase();
    await killHalfWay(folder, url);
    await using other = await createDataFolder();
    const options = { dataDir: other.path, env: sqlite };
    // A hub of its own: the other folders of tests are copies of one.
    expect((await runCli(options, ["migrate"])).exitCode).toBe(0);
    await runCli(options, ["user", "add", "cy@example.com"]);
    const keys = await readKeys(other);
    const refused = await runCopy(other, { url, keys });
    expect(JSON.parse(refused.stderr).error).toContain("holds a part of another data folder");
    expect((await runCopy(other, { url, keys, args: ["--restart"] })).exitCode).toBe(0);
    expect(await query(url, "select email from users")).toEqual([{ email: "cy@example.com" }]);
  });
});
