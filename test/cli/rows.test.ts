/** Rows on the command line: secrets, switches, tests, health checks. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { listedRowSchema } from "@hub/contract/listed-row.ts";
import { rowDetailSchema } from "@hub/contract/row.ts";
import { rowActivitySchema, rowStateSchema } from "@hub/contract/row-state.ts";
import { runSchema } from "@hub/contract/run.ts";
import { z } from "zod";
import {
  type CommandProcess,
  runCommand,
  startCommandProcess,
} from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";

setDefaultTimeout(180_000);

const secret = "tr4cker-s3cret";
const base = ["--set", "base_url=https://api.example.com", "--set", "auth_mode=bearer"];

const owned = new AsyncDisposableStack();
let folder: DataFolder;
let commands: CommandProcess;
beforeAll(async () => {
  folder = owned.use(await createDataFolder());
  commands = owned.use(startCommandProcess({ dataDir: folder.path }));
});
afterAll(() => owned.disposeAsync());

const run = (...argv: string[]) => commands.run({ argv });
/** Runs a command in a process of its own. */
const runWith = (given: { env?: Record<string, string>; stdin?: string }, ...args: string[]) =>
  runCommand({ dataDir: folder.path, ...given }, args);

describe("secrets on the command line", () => {
  test("a secret as an argument is refused, and the error names the options to use", async () => {
    const add = ["row", "add", "http", "--label", "Refused", ...base];
    const { exitCode, stderr } = await runWith({}, ...add, "--set", `token=${secret}`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Use --secret-stdin token, which asks for it on a terminal");
    expect(stderr).not.toContain(secret);
  });

  test("no command prints a secret that came from the environment or standard input", async () => {
    const add = ["row", "add", "http", "--label", "Tracker", ...base, "--tag", "dev", "--json"];
    const added = await runWith({ env: { KEY: secret } }, ...add, "--secret-env", "token=KEY");
    const stated = { state: rowStateSchema, activity: rowActivitySchema.nullable() };
    const row = rowDetailSchema.extend(stated).strict().parse(added.json());
    expect(row).toMatchObject({ label: "Tracker", tags: ["dev"], missing: [] });

    const set = ["row", "set", "Tracker", "--secret-stdin", "token"];
    const changed = await runWith({ stdin: `${secret}-2\n` }, ...set);
    const shown = await run("row", "show", row.id.slice(0, 6));
    const listed = await run("row", "list", "--json");
    const toStateLine = (text: string) => /^state .*$/m.exec(text)?.[0];
    expect(toStateLine(changed.stdout)).toStartWith("state        Unused: ");
    expect(toStateLine(changed.stdout)).toBe(toStateLine(shown.stdout));
    for (const { stdout, stderr } of [added, changed, shown, listed]) {
      expect(stdout + stderr).not.toContain(secret);
    }
    expect(shown.stdout).toMatch(/\n {0,2}token +•+/);
    expect(z.array(listedRowSchema.strict()).parse(listed.json())).toHaveLength(3);
  });

  test("a secret from an unset variable or from empty input is a usage error", async () => {
    const unset = await run("row", "set", "Tracker", "--secret-env", "token=NOT_THERE");
    expect(unset).toMatchObject({ exitCode: 2 });
    expect(unset.stderr).toContain("NOT_THERE");
    const empty = await run("row", "set", "Tracker", "--secret-stdin", "token");
    expect(empty).toMatchObject({ exitCode: 2 });
  });
});

describe("base_url", () => {
  const refused: [string, string][] = [
    [`https://ada:${secret}@api.example.com`, "username (with auth_mode=basic)"],
    [`https://${secret}@api.example.com`, "password (with auth_mode=basic)"],
    [`https://api.example.com/v1?key=${secret}`, "query_value (with auth_mode=query)"],
  ];
  for (const [url, advice] of refused) {
    test(`the base_url ${url} is refused, and the error names the fields to use`, async () => {
      const added = await run("row", "add", "http", "--label", "Bad", "--set", `base_url=${url}`);
      expect(added).toMatchObject({ exitCode: 1 });
      expect(added.stderr).toContain(advice);
      const set = await run("row", "set", "Tracker", "--set", `base_url=${url}`);
      expect(set).toMatchObject({ exitCode: 1 });
      expect(set.stderr).toContain(advice);
      expect(added.stderr + set.stderr).not.toContain(secret);
    });
  }
});

describe("row add without a terminal", () => {
  test("row add names the missing required fields and the options that set them", async () => {
    const add = ["row", "add", "http", "--label", "Half", "--set", "auth_mode=bearer"];
    const { exitCode, stderr } = await run(...add);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--set base_url=VALUE");
    expect(stderr).toContain("--secret-env token=VARIABLE");
  });

  test("row add --incomplete adds a row without its required fields", async () => {
    const add = ["row", "add", "http", "--label", "Half", "--incomplete", "--json"];
    expect((await run(...add)).json()).toMatchObject({ missing: ["base_url"] });
  });

  test("row add suggests the similar name for an unknown connector", async () => {
    const { exitCode, stderr } = await run("row", "add", "htp", "--label", "x");
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Did you mean "http"?');
  });
});

test("type show prints each field's type, its options and when it is required", async () => {
  const { stdout } = await run("type", "show", "http");
  expect(stdout).toMatch(
    /^auth_mode +dropdown: none \| bearer \| basic \| header \| query \| oauth; default none$/m,
  );
  expect(stdout).toMatch(/^token +secret; required if auth_mode=bearer\n +Sent as Authorization/m);
  expect(stdout).toMatch(/^password +secret; only if auth_mode=basic$/m);
});

test("--tests says who may test a row, and row show prints it", async () => {
  const add = ["row", "add", "http", "--label", "Tested", "--incomplete", "--tests", "tag"];
  expect((await run(...add, "--json")).json()).toMatchObject({ tests: "tag" });
  expect((await run("row", "show", "Tested")).stdout).toMatch(
    /^tests +admins and users with a tag/m,
  );
  const set = await run("row", "set", "Tested", "--tests", "admins", "--json");
  expect(set.json()).toMatchObject({ tests: "admins" });
  const refused = await run("row", "set", "Tested", "--tests", "all");
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("admins, tag");
});

test("op disable and type disable print the new state", async () => {
  const off = await run("op", "disable", "Tracker", "delete", "--json");
  expect(off.json()).toMatchObject({ operation: "delete", enabled: false });
  const type = await run("type", "disable", "http", "--json");
  expect(type.json()).toEqual({ connector: "http", disabled_type: true });
  const row = await run("row", "show", "Tracker", "--json");
  expect(row.json()).toMatchObject({ disabled_type: true });
});

test("row test prints the result, and runs lists and shows the run", async () => {
  const tested = await run("row", "test", "Hub", "whoami", "--json");
  expect(tested.json()).toMatchObject({ email: "local-admin" });

  const listed = await run("runs", "--row", "Hub", "--source", "test", "--json");
  const [latest] = z.array(runSchema.strict()).parse(listed.json());
  expect(latest).toMatchObject({ operation_key: "whoami", status: "success", user: "local-admin" });

  const shown = await run("runs", "show", latest?.id ?? "", "--json");
  expect(shown.json()).toMatchObject({ response: { email: "local-admin" }, request_cut: false });
});

test("row health runs the health check, records it, and sets the exit code", async () => {
  const api = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hi") });
  const add = ["row", "add", "http", "--label", "Local", "--set", `base_url=${api.url.origin}`];
  await run(...add);
  const good = await run("row", "health", "Local");
  expect(good).toMatchObject({ exitCode: 0, stdout: '"Local" works.\n', stderr: "" });
  const json = await run("row", "health", "Local", "--json");
  expect(json.json()).toEqual({ ok: true });

  await api.stop(true);
  const bad = await run("row", "health", "Local");
  expect(bad.exitCode).toBe(1);
  expect(bad.stdout).toStartWith('"Local" does not work: ');
  expect((await run("row", "health", "Local", "--json")).json()).toMatchObject({ ok: false });

  const listed = (await run("runs", "--row", "Local", "--source", "test", "--json")).json();
  expect(z.array(runSchema.strict()).parse(listed)).toHaveLength(4);
  const without = await run("row", "health", "Hub");
  expect(without).toMatchObject({ exitCode: 1, stdout: "" });
  expect(without.stderr).toContain("has no health check");

  await run("row", "add", "openapi", "--label", "Unfinished", "--incomplete");
  const unfinished = await run("row", "health", "Unfinished", "--json");
  expect([unfinished.exitCode, JSON.parse(unfinished.stderr)]).toEqual([
    1,
    expect.objectContaining({ missing: ["base_url"] }),
  ]);
  await run("row", "delete", "Unfinished");
});

test("row delete deletes the row and prints it", async () => {
  const { json } = await run("row", "delete", "Half", "--json");
  expect(json()).toMatchObject({ label: "Half" });
  expect((await run("row", "show", "Half")).exitCode).toBe(1);
});
