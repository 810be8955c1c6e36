/** A hub as a file: what one hub exports makes another one that exports the same bytes. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type HubFile, type HubFileReport, toHubFileJsonSchema } from "@hub/contract/hub-file.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { readHubFile } from "../../packages/server/src/services/hub-file/read-hub-file.ts";
import { schemaFile } from "../../scripts/write-hub-file-schema.ts";
import { type CommandProcess, startCommandProcess } from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { queryDatabase } from "../support/query-database.ts";
import { runCli } from "../support/run-cli.ts";
import { startHub } from "../support/start-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
afterAll(() => owned.disposeAsync());

type TestHub = {
  folder: DataFolder;
  run: (...argv: string[]) => ReturnType<CommandProcess["run"]>;
};

async function openHub(env: Record<string, string> = {}): Promise<TestHub> {
  const folder = owned.use(await createDataFolder());
  const commands = owned.use(startCommandProcess({ dataDir: folder.path }));
  return { folder, run: (...argv) => commands.run({ argv, env }) };
}

async function succeed(hub: TestHub, ...argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await hub.run(...argv);
  expect([argv.join(" "), exitCode, stderr.includes("rror")]).toEqual([argv.join(" "), 0, false]);
  return stdout;
}

const exportText = (hub: TestHub) => succeed(hub, "export");

async function apply(hub: TestHub, text: string, ...options: string[]) {
  await Bun.write(join(hub.folder.path, "hub.yaml"), text);
  const result = await hub.run("apply", "hub.yaml", "--json", ...options);
  const report: Partial<HubFileReport> & { error?: string } = JSON.parse(
    result.stdout || result.stderr,
  );
  return { exitCode: result.exitCode, ...report };
}

const listed = (report: Partial<HubFileReport>) =>
  (report.changes ?? []).map(({ action, kind }) => `${action} ${kind}`);

const secrets = { TRACKER_TOKEN: "the-tracker's-token", HOOK: "the-hook's-secret" };

/** A hub made by commands, with every kind of thing that a file has. */
let made: TestHub;
let text: string;

beforeAll(async () => {
  made = await openHub(secrets);
  const run = (...argv: string[]) => succeed(made, ...argv);
  await run("user", "add", "ada@example.com", "--admin", "--tag", "support");
  await run("user", "add", "bob@example.com", "--tag", "dev", "--tag", "support");
  await run("user", "disable", "bob@example.com");
  await run(
    ...["row", "add", "http", "--label", "Tracker: it's the [first] #1", "--tag", "support"],
    ...["--tests", "tag"],
    ...["--description", "Two\nlines", "--set", "base_url=https://tracker.example.com"],
    ...["--set", "auth_mode=bearer", "--secret-env", "token=TRACKER_TOKEN"],
  );
  await run("row", "add", "http", "--label", "Other", "--set", "base_url=https://other.example");
  await run("row", "disable", "Other");
  await run("op", "disable", "Other", "delete");
  await run(
    ...["rule", "set", "Other", "--asks", "destructive", "--decided-by", "support"],
    ...["--except-user", "bob@example.com", "--except-tag", "dev", "--free", "3"],
    ...["--hour", "--fixed", "path", "--runs-on-approval", "--sentence", "Others read it."],
  );
  await run("rule", "set", "Other", "put", "--asks", "never");
  await run(
    ...["row", "add", "slack", "--label", "Team chat", "--incomplete"],
    ...["--set", "include_edits=true"],
  );
  await run("channel", "set", "team-chat", "--slug", "team");
  await run("type", "disable", "telegram");
  await run("setting", "set", "HUB_AUDIT_RETENTION_DAYS", "30");
  const body = {
    triggers: [
      { id: "hook", type: "webhook", path: "orders", entry: "one", secret_ref: "HOOK" },
      { id: "hand", type: "manual", entry: "one", as_tool: true },
    ],
    nodes: [{ id: "one", type: "set", value: { long: 1, text: "yes", number: "012" } }],
    edges: [],
  };
  const file = join(made.folder.path, "body.json");
  await Bun.write(file, JSON.stringify(body).replace('"long":1', '"long":12345678901234567890'));
  const created = JSON.parse(
    await run(
      ...["workflow", "new", "Orders", "--owner", "ada@example.com", "--file", file, "--json"],
    ),
  );
  await run("workflow", "secret", "set", created.id, "HOOK", "--env", "HOOK");
  await run("workflow", "publish", created.id, "--yes");
  await run("workflow", "tags", created.id, "--tag", "support");
  text = await exportText(made);
});

test("What one hub exports makes an empty hub that exports the same bytes, once its secrets are given", async () => {
  expect(text).not.toContain("the-tracker's-token");
  expect(text).toContain("12345678901234567890");
  expect(text.match(/tests: tag/g)).toHaveLength(1);
  const empty = await openHub(secrets);
  const given = text
    .replace("token: keep", "token: env:TRACKER_TOKEN")
    .replace("HOOK: keep", "HOOK: env:HOOK");
  const first = await apply(empty, given);
  expect([first.exitCode, first.error]).toEqual([0, undefined]);
  expect(await exportText(empty)).toBe(text);
  expect(await apply(empty, given)).toMatchObject({ exitCode: 0, changes: [] });
  expect(await apply(empty, text)).toMatchObject({ exitCode: 0, changes: [] });
});

test("The rules of a row are those of the file, and stay if the file does not name them", async () => {
  const hub = await openHub(secrets);
  const given = text
    .replace("token: keep", "token: env:TRACKER_TOKEN")
    .replace("HOOK: keep", "HOOK: env:HOOK");
  await apply(hub, given);
  const { rows = [] } = readHubFile(text).file;
  const other = rows.find(({ label }) => label === "Other");
  const [own, whole] = [{ operation: "put", asks: "never" }, { asks: "destructive" }];
  expect(other?.rules).toMatchObject([whole, own]);
  const withRules = (rules?: unknown) =>
    apply(hub, JSON.stringify({ hub_file: 1, rows: [{ ...other, values: {}, rules }] }));
  expect((await withRules()).changes).toEqual([]);
  const changed = await withRules([own]);
  expect(changed.changes).toMatchObject([{ action: "update", fields: [{ field: "rules" }] }]);
  expect(JSON.parse(await succeed(hub, "rule", "show", "Other", "--json"))).toMatchObject([own]);
  const twice = await withRules([own, own]);
  expect([twice.exitCode === 0, twice.error]).toEqual([
    false,
    expect.stringContaining("Another item of rules"),
  ]);
  const unknown = await withRules([{ asks: "always", except_users: ["nemo@example.com"] }]);
  expect(unknown.error).toContain('There is no user "nemo@example.com"');
});

test("A dry run shows every change that the real one makes, and makes none", async () => {
  const empty = await openHub(secrets);
  const before = await exportText(empty);
  const given = text
    .replace("token: keep", "token: env:TRACKER_TOKEN")
    .replace("HOOK: keep", "HOOK: env:HOOK");
  const dry = await apply(empty, given, "--dry-run");
  expect(dry).toMatchObject({ exitCode: 0, dry_run: true });
  expect(listed(dry)).toContain("create workflow");
  expect(await exportText(empty)).toBe(before);
  const real = await apply(empty, given);
  expect(listed(real)).toEqual(listed(dry));
  expect(JSON.stringify([dry, real])).not.toContain("the-tracker's-token");
});

test("Items that the file does not name stay, and are taken away by --prune", async () => {
  const hub = await openHub(secrets);
  const file: HubFile = readHubFile(text).file;
  const { rows = [], users = [] } = file;
  const given = JSON.stringify({
    ...file,
    rows: rows.map((row) => ({ ...row, values: {} })),
    workflows: [],
    settings: {},
  });
  await apply(hub, given);
  await succeed(hub, "setting", "set", "HUB_USER_CALLS_AT_ONCE", "9");
  const fewer = JSON.stringify({
    hub_file: 1,
    settings: {},
    users: users.slice(0, 1),
    rows: rows.filter(({ label }) => label === "Other").map((row) => ({ ...row, values: {} })),
  });
  expect((await apply(hub, fewer)).changes).toEqual([]);
  const pruned = await apply(hub, fewer, "--prune");
  expect(listed(pruned).sort()).toEqual([
    ...["delete row", "delete row", "delete row", "delete row", "delete setting"],
  ]);
  const left: HubFile = readHubFile(await exportText(hub)).file;
  expect(left.rows?.map(({ label }) => label)).toEqual(["Other"]);
  expect(left.settings).toEqual({});
  // A section that is not in the file is not pruned.
  expect(left.disabled_connectors).toEqual(["telegram"]);
});

test("Pruning leaves the tools that workflows made, and values of settings that cannot be stored", async () => {
  const hub = await openHub(secrets);
  const given = text
    .replace("token: keep", "token: env:TRACKER_TOKEN")
    .replace("HOOK: keep", "HOOK: env:HOOK");
  await apply(hub, given);
  // As other versions of the hub may have stored them.
  for (const name of ["HUB_PORT", "HUB_OF_ANOTHER_VERSION"]) {
    queryDatabase(hub.folder.path, `insert into settings (key, value) values ('${name}', '7')`);
  }
  const listTools = () =>
    queryDatabase<{ id: string }>(
      hub.folder.path,
      "select id from connector_rows where connector_key = 'workflow_tool'",
    );
  const tools = listTools();
  expect(tools).toHaveLength(1);
  const empty = JSON.stringify({ hub_file: 1, rows: [], settings: {} });
  const pruned = await apply(hub, empty, "--prune");
  expect([pruned.exitCode, pruned.error]).toEqual([0, undefined]);
  expect(pruned.changes?.map(({ id }) => id)).not.toContain(tools[0]?.id);
  expect(listTools()).toEqual(tools);
  const settings = queryDatabase<{ key: string }>(
    hub.folder.path,
    "select key from settings where key >= 'HUB_' and key < 'HUB`' order by key",
  );
  expect(settings.map(({ key }) => key)).toEqual(["HUB_OF_ANOTHER_VERSION", "HUB_PORT"]);
});

test("The hub's own row gives way to one of the file only if it is the only one of its connector", async () => {
  await succeed(made, "row", "add", "workflow", "--label", "Second");
  const third = { id: crypto.randomUUID(), connector: "workflow", label: "Third" };
  const { changes } = await apply(made, JSON.stringify({ hub_file: 1, rows: [third] }));
  expect(changes).toMatchObject([{ action: "create", kind: "row", id: third.id }]);
  const [{ n } = { n: 0 }] = queryDatabase<{ n: number }>(
    made.folder.path,
    "select count(*) as n from connector_rows where connector_key = 'workflow'",
  );
  expect(Number(n)).toBe(3);
});

test("A switch of an operation that is not discovered yet is recorded like any other change", async () => {
  const operations = { listPets: false, showPet: true };
  const row = { connector: "openapi", label: "Pets", operations };
  const { exitCode, changes = [] } = await apply(
    made,
    JSON.stringify({ hub_file: 1, rows: [row] }),
  );
  expect([exitCode, changes.length]).toEqual([0, 1]);
  const recorded = queryDatabase<{ action: string; detail: string }>(
    made.folder.path,
    `select action, detail from changes where target_id = '${changes[0]?.id}' order by id`,
  );
  expect(recorded.map(({ action }) => action)).toEqual([
    ...["row.create", "operation.disable", "operation.enable"],
  ]);
  expect(recorded.slice(1).map(({ detail }) => JSON.parse(detail))).toEqual([
    { operation: "listPets" },
    { operation: "showPet" },
  ]);
});

test("Marks of reading operations are exported, applied, and told of where they are not approved", async () => {
  const { run, folder } = await openHub();
  const hub = { run, folder };
  const document = {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    paths: {
      "/pets": { get: { operationId: "listPets" }, post: { operationId: "findPets" } },
    },
  };
  await Bun.write(join(folder.path, "pets.json"), JSON.stringify(document));
  const values = ["--set", "base_url=https://pets.example"];
  await succeed(hub, "row", "add", "openapi", "--label", "Pets", ...values);
  await succeed(hub, "bridge", "discover", "Pets", "--document", "pets.json");
  await succeed(hub, "bridge", "approve", "Pets", "--all");
  const marked = (...reads: string[]) =>
    JSON.stringify({ hub_file: 1, rows: [{ connector: "openapi", label: "Pets", reads }] });
  const reads = async () => {
    const { rows = [] } = Bun.YAML.parse(await exportText(hub)) as HubFile;
    return rows.find(({ connector }) => connector === "openapi")?.reads;
  };
  const first = await apply(hub, marked("list_pets", "find_pets", "feed_pets"));
  expect(first.changes?.[0]?.fields).toEqual([
    { field: "reads", from: [], to: ["find_pets", "list_pets"], secret: false },
  ]);
  expect(first.notes?.join()).toContain("not approved here: feed_pets. Review them");
  expect(await reads()).toEqual(["find_pets", "list_pets"]);
  expect(await apply(hub, await exportText(hub))).toMatchObject({ exitCode: 0, changes: [] });
  const dry = await apply(hub, marked("list_pets"), "--dry-run");
  expect(dry.changes).toHaveLength(1);
  expect(await reads()).toEqual(["find_pets", "list_pets"]);
  await apply(hub, marked("list_pets"));
  expect(await reads()).toEqual(["list_pets"]);
  // Members that are left out stay.
  await apply(
    hub,
    JSON.stringify({ hub_file: 1, rows: [{ connector: "openapi", label: "Pets" }] }),
  );
  expect(await reads()).toEqual(["list_pets"]);
  const http = { connector: "http", label: "Plain", reads: ["request"] };
  const refused = await apply(hub, JSON.stringify({ hub_file: 1, rows: [http] }));
  expect(refused.error).toContain("rows.0.reads");
  expect(refused.error).toContain("Of HTTP, only get, head can be marked. Leave request out.");
  const own = { connector: "telegram", label: "Bot", reads: ["reply"] };
  const ofAuthor = await apply(hub, JSON.stringify({ hub_file: 1, rows: [own] }));
  expect(ofAuthor.error).toContain("The author of Telegram says which of its operations only read");
  await apply(hub, marked());
  expect(await reads()).toBeUndefined();
});

test("The switch of a connector that is not installed stays", async () => {
  const { path } = made.folder;
  queryDatabase(path, "insert into type_states (connector_key, disabled) values ('not_here', 1)");
  const file = JSON.stringify({ hub_file: 1, disabled_connectors: ["telegram"] });
  expect(await apply(made, file)).toMatchObject({ exitCode: 0, changes: [] });
  const disabled = queryDatabase<{ connector_key: string }>(
    path,
    "select connector_key from type_states where disabled = 1 order by connector_key",
  );
  expect(disabled.map(({ connector_key: key }) => key)).toEqual(["not_here", "telegram"]);
});

test("Members that are left out stay, and each change of the rest is made and recorded", async () => {
  const hub = await openHub(secrets);
  const head = "hub_file: 1\nrows:\n  - { connector: http, label: One";
  const url = "base_url: https://one.example";
  await apply(hub, `${head}, description: First, tags: [a], values: { ${url}, auth_mode: none } }`);
  const file: HubFile = readHubFile(await exportText(hub)).file;
  const [row] = (file.rows ?? []).filter(({ connector }) => connector === "http");
  const renamed = `hub_file: 1\nrows:\n  - { id: ${row?.id}, connector: http, label: Two`;
  const operations = "operations: { delete: false }";
  const { changes } = await apply(
    hub,
    `${renamed}, tags: [b], tests: tag, enabled: false, ${operations} }`,
  );
  expect(changes).toMatchObject([
    {
      action: "update",
      kind: "row",
      id: row?.id,
      fields: [
        { field: "label", from: "One", to: "Two" },
        { field: "tests", from: "admins", to: "tag" },
        { field: "enabled", from: true, to: false },
        { field: "tags", from: ["a"], to: ["b"] },
        { field: "operations.delete", from: true, to: false },
      ],
    },
  ]);
  const after: HubFile = readHubFile(await exportText(hub)).file;
  expect(after.rows?.find(({ id }) => id === row?.id)).toMatchObject({
    label: "Two",
    description: "First",
    tags: ["b"],
    tests: "tag",
    enabled: false,
    values: { base_url: "https://one.example" },
  });
  const recorded = queryDatabase<{ action: string; via: string }>(
    hub.folder.path,
    `select action, via from changes where target_id = '${row?.id}' order by id`,
  );
  expect(recorded.map(({ action }) => action)).toEqual([
    ...["row.create", "row.update", "row.disable", "operation.disable"],
  ]);
});

/** Lines of a file with a mistake, the line of the mistake, and what the refusal says. */
const mistakes: [string, string[], number, RegExp][] = [
  ["no YAML", ["hub_file: 1", "rows: [", "  x"], 3, /not valid YAML or JSON/],
  ["no version", ["rows: []"], 1, /hub_file must be 1/],
  ["another version", ["hub_file: 2"], 1, /hub_file must be 1/],
  ["an unknown section", ["hub_file: 1", "row: []"], 2, /"row" is not known.*rows/],
  [
    "an unknown member",
    ["hub_file: 1", "users:", "  - email: a@b.c", "    tag: [x]"],
    4,
    /"tag" is not known.*tags/,
  ],
  ["a missing member", ["hub_file: 1", "rows:", "  - connector: http"], 3, /label is missing/],
  [
    "a wrong type",
    ["hub_file: 1", "rows:", "  - connector: http", "    label: x", "    enabled: 7"],
    5,
    /enabled must be true or false/,
  ],
  [
    "a wrong word",
    ["hub_file: 1", "users:", "  - email: a@b.c", "    role: boss"],
    4,
    /role must be one of: admin, user/,
  ],
  ["no e-mail", ["hub_file: 1", "users:", "  - email: nobody"], 3, /must be an email address/],
  [
    "a user twice",
    ["hub_file: 1", "users:", "  - email: a@b.c", "  - email: A@B.c"],
    4,
    /in the file twice/,
  ],
  ["a tag", ["hub_file: 1", "tags:", "  - good", "  - no good"], 4, /is not a tag name/],
  [
    "an unknown setting",
    ["hub_file: 1", "settings:", '  HUB_NOTHING: "1"'],
    3,
    /There is no setting/,
  ],
  [
    "a setting of the start",
    ["hub_file: 1", "settings:", '  HUB_PORT: "1"'],
    3,
    /read when the hub starts/,
  ],
  [
    "a value of a setting",
    ["hub_file: 1", "settings:", '  HUB_AUDIT_RETENTION_DAYS: "soon"'],
    3,
    /HUB_AUDIT_RETENTION_DAYS/,
  ],
  [
    "an unknown connector",
    ["hub_file: 1", "rows:", "  - connector: htp", "    label: x"],
    3,
    /no connector "htp".*http/,
  ],
  [
    "an unknown switch",
    ["hub_file: 1", "disabled_connectors:", "  - htp"],
    3,
    /no connector "htp"/,
  ],
  [
    "an id",
    ["hub_file: 1", "rows:", "  - id: one", "    connector: http", "    label: x"],
    3,
    /id must be a UUID/,
  ],
  [
    "an unknown field",
    [
      "hub_file: 1",
      "rows:",
      "  - connector: http",
      "    label: x",
      "    values:",
      "      base_ulr: x",
    ],
    6,
    /is not a field.*base_url/,
  ],
  [
    "a value",
    [
      "hub_file: 1",
      "rows:",
      "  - connector: http",
      "    label: x",
      "    values:",
      "      auth_mode: magic",
    ],
    6,
    /auth_mode/,
  ],
  [
    "a secret in the file",
    [
      "hub_file: 1",
      "rows:",
      "  - connector: http",
      "    label: x",
      "    values:",
      "      token: hunter2-hunter2",
    ],
    6,
    /env:NAME/,
  ],
  [
    "a missing variable",
    [
      "hub_file: 1",
      "rows:",
      "  - connector: http",
      "    label: x",
      "    values:",
      "      token: env:NOT_SET",
    ],
    6,
    /variable NOT_SET is not set/,
  ],
  [
    "a missing file",
    [
      "hub_file: 1",
      "rows:",
      "  - connector: http",
      "    label: x",
      "    values:",
      "      token: file:none.txt",
    ],
    6,
    /none.txt cannot be read/,
  ],
  [
    "an unknown operation",
    [
      "hub_file: 1",
      "rows:",
      "  - connector: http",
      "    label: x",
      "    operations:",
      "      got: false",
    ],
    6,
    /no operation "got".*get/,
  ],
  [
    "a row twice",
    [
      "hub_file: 1",
      "rows:",
      "  - connector: http",
      "    label: x",
      "  - connector: http",
      "    label: x",
    ],
    5,
    /are the same row/,
  ],
  [
    "a row of the hub's",
    ["hub_file: 1", "rows:", "  - connector: workflow_tool", "    label: x"],
    3,
    /Take this row out/,
  ],
  [
    "a missing plugin",
    ["hub_file: 1", "plugins:", "  - key: nothing_of_this_name", "    source: ./nothing.zip"],
    4,
    /file or folder does not exist/,
  ],
  [
    "an owner",
    ["hub_file: 1", "workflows:", "  - id: w", "    name: W", "    owner: x@y.z", "    body: {}"],
    5,
    /no user "x@y.z"/,
  ],
  [
    "a workflow's id",
    ["hub_file: 1", "workflows:", "  - id: W W", "    name: W", "    owner: x@y.z", "    body: {}"],
    3,
    /lower-case letters/,
  ],
  [
    "a body that cannot be published",
    [
      "hub_file: 1",
      "users: [{ email: a@b.c }]",
      "workflows:",
      "  - id: w",
      "    name: W",
      "    owner: a@b.c",
      "    body:",
      "      triggers: [{ id: t, type: manual, entry: gone }]",
      "      nodes: []",
      "      edges: []",
    ],
    8,
    /There is no node "gone"/,
  ],
];

test("Each kind of mistake is refused with its line and what to write, and changes nothing", async () => {
  const hub = await openHub();
  const before = await exportText(hub);
  // What stands before the mistake is applied with the rest, or not at all.
  for (const [name, lines, line, message] of mistakes) {
    const { exitCode, error = "" } = await apply(hub, lines.join("\n"));
    expect([name, exitCode === 0]).toEqual([name, false]);
    expect([name, error]).toEqual([name, expect.stringContaining(`Line ${line}`)]);
    expect([name, error]).toEqual([name, expect.stringMatching(message)]);
    expect(error).not.toContain("hunter2");
  }
  expect(await exportText(hub)).toBe(before);
});

test("A file that was built to hurt is refused", async () => {
  const hub = await openHub();
  const bomb = ["hub_file: 1", "a: &a [x, x, x, x, x, x, x, x, x]"];
  for (const [at, name] of [..."bcdefghi"].entries()) {
    const earlier = "abcdefghi"[at];
    bomb.push(`${name}: &${name} [${Array(9).fill(`*${earlier}`).join(", ")}]`);
  }
  const files = [bomb.join("\n"), `hub_file: 1\ntags: ${"[".repeat(5_000)}${"]".repeat(5_000)}`];
  for (const file of files) {
    const { exitCode, error } = await apply(hub, file);
    expect([exitCode === 0, typeof error]).toEqual([false, "string"]);
  }
});

nightlyTest(
  "A file of many rows is stored whole by a process of its own, and a second one changes all of them",
  async () => {
    const hub = await openHub();
    const file = (description: string) =>
      JSON.stringify({
        hub_file: 1,
        rows: Array.from({ length: 40 }, (_, at) => ({
          connector: "http",
          label: `Row ${at}`,
          description,
          tags: ["many"],
          enabled: at > 0,
          values: { base_url: `https://${at}.example`, auth_mode: "bearer", token: "env:TOKEN" },
        })),
      });
    for (const description of ["First", "Second"]) {
      await Bun.write(join(hub.folder.path, "many.yaml"), file(description));
      const options = { dataDir: hub.folder.path, env: { TOKEN: "the-token-of-every-row" } };
      const result = await runCli(options, ["apply", "many.yaml", "--json"]);
      expect([result.exitCode, result.stderr]).toEqual([0, ""]);
      expect(result.json<HubFileReport>().changes.length).toBe(40);
      const stored = queryDatabase<{ description: string; n: number }>(
        hub.folder.path,
        "select description, count(*) as n from connector_rows where connector_key = 'http' group by description",
      );
      expect(stored.map(({ n, ...row }) => ({ ...row, n: Number(n) }))).toEqual([
        { description, n: 40 },
      ]);
    }
    const [{ n } = { n: 0 }] = queryDatabase<{ n: number }>(
      hub.folder.path,
      "select count(*) as n from changes where action in ('row.create', 'row.update', 'row.disable')",
    );
    expect(Number(n)).toBe(81);
  },
);

test("A file with more values than a hub has is refused before it is read, with what to do", async () => {
  const hub = await openHub();
  const { exitCode, error } = await apply(hub, `{"rows": [${"{},".repeat(600_000)}{}]}`);
  expect([exitCode, error]).toEqual([1, expect.stringMatching(/more than 1,000,000 .*Split it/)]);
});

test("Of two files that are applied at once, one is whole, and the other is whole after it or refused", async () => {
  const hub = await openHub();
  const users = (name: string) =>
    JSON.stringify({
      hub_file: 1,
      users: Array.from({ length: 20 }, (_, at) => ({ email: `user-${at}@x.y`, name })),
    });
  const results = await Promise.all(
    ["One", "Two"].map(async (name) => {
      await Bun.write(join(hub.folder.path, `${name}.yaml`), users(name));
      return await runCli({ dataDir: hub.folder.path }, ["apply", `${name}.yaml`]);
    }),
  );
  const refused = results.filter(({ exitCode }) => exitCode !== 0);
  expect(refused.length).toBeLessThan(2);
  for (const { stderr } of refused) expect(stderr).toContain("So nothing was stored.");
  const file: HubFile = readHubFile(await exportText(hub)).file;
  expect(new Set(file.users?.map(({ name }) => name)).size).toBe(1);
});

test("Over the API, a reference is plain text: a token of the scope manage reads no file and no variable", async () => {
  await using hub = await startHub({
    env: { HUB_SECRET_OF_THE_MACHINE: "from-the-environment", HUB_SECRETS_DIR: "/etc" },
  });
  const authorization = `Bearer ${await hub.makeManageToken()}`;
  const seen: string[] = [];
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ headers }) {
      seen.push(headers.get("authorization") ?? "");
      return Response.json({});
    },
  });
  const ask = async (path: string, body: object) => {
    const headers = { authorization, "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${hub.url}/manager/api/rows${path}`, sent);
    return Object(await answer.json());
  };
  const references = [
    "env:HUB_SECRET_OF_THE_MACHINE",
    "file:/etc/hostname",
    "secret:hostname",
    "keep",
  ];
  for (const token of references) {
    const base_url = `http://127.0.0.1:${server.port}`;
    const values = { base_url, auth_mode: "bearer", token };
    const { id } = await ask("", { connector: "http", label: token, values });
    await ask(`/${id}/operations/get/test`, { params: { path: "/" } });
  }
  expect(seen).toEqual(references.map((token) => `Bearer ${token}`));
});

test("The published schema is that of the program", async () => {
  const schema = toHubFileJsonSchema();
  expect(await Bun.file(schemaFile).json()).toEqual(schema);
  expect(JSON.parse(await succeed(made, "apply", "--schema"))).toEqual(schema);
});
