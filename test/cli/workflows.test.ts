/** Workflows on the command line. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import {
  workflowDetailSchema,
  workflowExportSchema,
  workflowSchema,
  workflowSecretSchema,
  workflowVersionSchema,
} from "@hub/contract/workflow.ts";
import { z } from "zod";
import {
  type CommandProcess,
  runCommand,
  startCommandProcess,
} from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";

setDefaultTimeout(180_000);

const secret = "w0rkflow-s3cret";
const owned = new AsyncDisposableStack();
let folder: DataFolder;
let commands: CommandProcess;
beforeAll(async () => {
  folder = owned.use(await createDataFolder());
  commands = owned.use(startCommandProcess({ dataDir: folder.path }));
  await run("user", "add", "ada@example.com", "--tag", "dev");
  await run("user", "add", "bob@example.com");
});
afterAll(() => owned.disposeAsync());

const run = (...argv: string[]) => commands.run({ argv });
const runJson = async <T>(schema: z.ZodType<T>, ...argv: string[]): Promise<T> => {
  const { exitCode, stdout, stderr } = await run(...argv, "--json");
  expect([exitCode, stderr]).toEqual([0, ""]);
  return schema.parse(JSON.parse(stdout));
};
const owner = ["--owner", "ada@example.com"];

const bodyOf = (node: Record<string, unknown>) => ({
  triggers: [{ id: "start", type: "manual", entry: "one" }],
  nodes: [{ id: "one", ...node }],
});
/** Writes a body to a file and returns its name. */
async function writeBody(node: Record<string, unknown>): Promise<string> {
  const name = join(folder.path, `${crypto.randomUUID()}.json`);
  await Bun.write(name, JSON.stringify(bodyOf(node)));
  return name;
}

test("a workflow is created, edited, published, compared, restored and deleted", async () => {
  const first = await writeBody({ type: "set", value: "first" });
  const create = ["workflow", "new", "Daily report", ...owner, "--file", first];
  const made = await runJson(workflowDetailSchema.strict(), ...create);
  expect(made).toMatchObject({ owner: { email: "ada@example.com" }, version: 0, run_by: "tags" });

  const published = await run("workflow", "publish", "Daily report", "--note", "It begins");
  expect(published.stdout).toBe('"Daily report" is published as version 1.\n');
  const second = await writeBody({ type: "set", value: "second" });
  const edited = await run("workflow", "edit", made.id, "--file", second, "--revision", "1");
  expect(edited.stdout).toBe('"Daily report" has the draft 2 now.\nThere are no problems.\n');
  const stale = await run(
    "workflow",
    "edit",
    made.id,
    "--file",
    first,
    "--revision",
    "1",
    "--json",
  );
  expect(stale.exitCode).toBe(1);
  expect(JSON.parse(stale.stderr)).toMatchObject({
    code: "conflict",
    revision: 2,
    saved_by: { email: "local-admin" },
    difference: { sentences: [expect.stringContaining('"one"')] },
  });
  expect((await run("workflow", "diff", made.id)).stdout).toContain('The node "one"');
  await run("workflow", "publish", made.id);
  const versions = await runJson(
    z.array(workflowVersionSchema.strict()),
    "workflow",
    "versions",
    made.id,
  );
  expect(versions.map(({ version, note }) => [version, note])).toEqual([
    [2, ""],
    [1, "It begins"],
  ]);
  expect((await run("workflow", "versions", made.id, "1")).stdout).toContain('"first"');
  expect((await run("workflow", "restore", made.id, "1")).stdout).toContain("is version 1 now");
  const shown = await runJson(workflowDetailSchema, "workflow", "show", "Daily report");
  expect(shown).toMatchObject({ body: bodyOf({ type: "set", value: "first" }), version: 2 });

  const change = ["--name", "Report", "--description", "Sums", "--run-by", "owner"];
  expect((await run("workflow", "edit", made.id, ...change)).stdout).toContain("its owner");
  expect((await run("workflow", "disable", "Report")).stdout).toBe('"Report" is disabled.\n');
  const list = ["workflow", "list", "--state", "disabled", ...owner];
  expect(await runJson(z.array(workflowSchema.strict()), ...list)).toMatchObject([{ id: made.id }]);
  const ofBob = ["workflow", "list", "--owner", "bob@example.com"];
  expect((await run(...ofBob)).stdout).toBe("There are no such workflows.\n");
  expect((await run("workflow", "enable", "Report")).exitCode).toBe(0);
  expect((await run("workflow", "delete", "Report")).stdout).toBe(
    `Deleted "Report" (${made.id}).\n`,
  );
  expect((await run("workflow", "list")).stdout).toBe("There are no such workflows.\n");
});

test("validate prints the problems, and exits with 1 if there are errors", async () => {
  const broken = await writeBody({
    type: "operation",
    tool_id: "conn:00000000-0000-4000-8000-000000000001/x",
  });
  const alone = await run("workflow", "validate", "--file", broken, "--json");
  expect(alone.exitCode).toBe(0);
  expect(alone.json<{ opened: unknown }>().opened).toEqual([
    { node: "one", type: "operation", target: "conn:00000000-0000-4000-8000-000000000001/x" },
  ]);
  await run("workflow", "new", "Broken", ...owner, "--file", broken);
  const validated = await run("workflow", "validate", "Broken");
  expect([validated.exitCode, validated.stdout]).toEqual([
    1,
    expect.stringContaining("error  /nodes/0/tool_id: "),
  ]);
  const published = await run("workflow", "publish", "Broken", "--json");
  expect(published.exitCode).toBe(1);
  expect(JSON.parse(published.stderr)).toMatchObject({
    code: "bad_request",
    problems: [expect.objectContaining({ severity: "error" })],
  });
  const good = await writeBody({ type: "set", value: 1 });
  expect((await run("workflow", "validate", "Broken", "--file", good)).exitCode).toBe(0);
  expect(await run("workflow", "validate")).toMatchObject({ exitCode: 2 });
  expect(await run("workflow", "validate", "--file", "absent.json")).toMatchObject({ exitCode: 2 });
});

test("an export names the secrets that an import must set, and no command prints a secret", async () => {
  const file = await writeBody({ type: "set", value: "{{.Secret.API_KEY}}" });
  await run("workflow", "new", "Secretive", ...owner, "--file", file);
  const set = ["workflow", "secret", "set", "Secretive", "API_KEY"];
  const given = { dataDir: folder.path, stdin: `${secret}\n` };
  const outputs = [await runCommand(given, set)];
  expect(outputs[0]?.stdout).toMatch(/API_KEY {2}set {4}yes/);
  const fromEnv = { dataDir: folder.path, env: { KEY: secret } };
  outputs.push(await runCommand(fromEnv, [...set.with(-1, "OTHER"), "--env", "KEY"]));
  expect(await run(...set, "--env", "NOT_THERE")).toMatchObject({ exitCode: 2 });
  const names = await runJson(
    z.array(workflowSecretSchema.strict()),
    "workflow",
    "secret",
    "list",
    "Secretive",
  );
  expect(names.map(({ name, is_used }) => [name, is_used])).toEqual([
    ["API_KEY", true],
    ["OTHER", false],
  ]);
  const exported = await run("workflow", "export", "Secretive");
  expect(workflowExportSchema.parse(JSON.parse(exported.stdout)).secrets).toEqual(["API_KEY"]);
  const name = join(folder.path, "export.json");
  await Bun.write(name, exported.stdout);
  const imported = await run(
    "workflow",
    "import",
    name,
    ...owner,
    "--name",
    "Imported",
    "--id",
    "copy",
  );
  expect(imported.stdout).toContain("workflow secret set copy API_KEY");
  outputs.push(exported, imported, await run("workflow", "show", "Secretive", "--json"));
  expect((await run("workflow", "secret", "remove", "Secretive", "OTHER")).exitCode).toBe(0);
  for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain(secret);
});

test("a tag is given after a look at what it opens to others", async () => {
  const add = ["row", "add", "http", "--label", "Shop", "--tag", "dev", "--json"];
  const added = await run(...add, "--set", "base_url=https://shop.example.com");
  const row = added.json<{ id: string }>();
  const file = await writeBody({
    type: "operation",
    tool_id: `conn:${row.id}/get`,
    params: { path: "/" },
  });
  await run("workflow", "new", "Shopping", ...owner, "--file", file);
  const refused = await run("workflow", "tags", "Shopping", "--tag", "dev");
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(`conn:${row.id}/get`);
  expect(refused.stderr).toContain("add --yes");
  expect((await run("workflow", "tags", "Shopping", "--tag", "dev", "--yes")).exitCode).toBe(0);
  expect(await run("workflow", "publish", "Shopping")).toMatchObject({ exitCode: 2 });
  const published = await run("workflow", "publish", "Shopping", "--yes");
  expect([published.exitCode, published.stderr]).toEqual([0, ""]);
  // Nothing more is opened.
  await run("workflow", "edit", "Shopping", "--file", file);
  expect((await run("workflow", "publish", "Shopping")).exitCode).toBe(0);
  const untagged = await run("workflow", "tags", "Shopping", "--untag", "dev");
  expect(untagged.stdout).toMatch(/tags +-/);
  expect(await run("workflow", "tags", "Shopping")).toMatchObject({ exitCode: 2 });
});

test("a workflow is offered to a new owner, and the offer is withdrawn", async () => {
  await run("workflow", "new", "Offered", ...owner);
  const offered = await run("workflow", "owner", "Offered", "--to", "bob@example.com");
  expect(offered.stdout).toBe('"Offered" is offered to bob@example.com, who must accept it.\n');
  expect((await run("workflow", "show", "Offered")).stdout).toMatch(/offered to +bob@example.com/);
  expect((await run("workflow", "owner", "Offered", "--withdraw")).exitCode).toBe(0);
  expect(await run("workflow", "owner", "Offered")).toMatchObject({ exitCode: 2 });
});

test("an unknown name gets a suggestion, and a name of two workflows is refused", async () => {
  await run("workflow", "new", "Twice", ...owner);
  await run("workflow", "new", "Twice", ...owner);
  const twice = await run("workflow", "show", "Twice");
  expect([twice.exitCode, twice.stderr]).toEqual([1, expect.stringContaining("Give an id")]);
  const unknown = await run("workflow", "show", "Twics");
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('"Twice"')]);
  const invalid = join(folder.path, "invalid.json");
  await Bun.write(invalid, "{");
  const refused = await run("workflow", "new", "Invalid", ...owner, "--file", invalid);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining("not valid JSON"),
  ]);
});
