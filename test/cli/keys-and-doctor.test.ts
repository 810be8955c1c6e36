/** Keys, value tokens, settings and the doctor on the command line. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { doctorReportSchema, settingSchema } from "@hub/contract/doctor.ts";
import { keyListSchema, keyRotationSchema } from "@hub/contract/key.ts";
import { runCommand } from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { testOnSqlite } from "../support/test-on-sqlite.ts";

setDefaultTimeout(180_000);

let folder: DataFolder;
beforeAll(async () => {
  folder = await createDataFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const run = (...args: string[]) => runCommand({ dataDir: folder.path }, args);

test("encrypt makes the same token each time for a value from standard input", async () => {
  const encrypt = () =>
    runCommand({ dataDir: folder.path, stdin: "geheim\n" }, ["encrypt", "--json"]);
  const first = (await encrypt()).json<{ token: string }>();
  expect(first.token).toMatch(/^hub_enc_[\w-]+$/);
  expect((await encrypt()).json()).toEqual({ token: first.token, user: "local-admin" });
  expect((await run("encrypt")).exitCode).toBe(1);
});

testOnSqlite(
  "keyRemoval",
  "keys rotate adds a key, and keys remove deletes only keys that are not in use",
  async () => {
    const before = keyListSchema.parse((await run("keys", "list", "--json")).json());
    const rotated = keyRotationSchema
      .strict()
      .parse((await run("keys", "rotate", "--json")).json());
    expect(rotated.keys).toHaveLength(2);
    const [old = ""] = before.keys.map((key) => key.id);
    expect((await run("keys", "remove", rotated.sealing)).exitCode).toBe(1);
    const removed = keyListSchema.parse((await run("keys", "remove", old, "--json")).json());
    expect(removed.keys.map((key) => key.id)).toEqual([rotated.sealing]);
  },
);

test("doctor reports every setting with its origin, and warns of unknown variables", async () => {
  const env = { HUB_LOG_LEVEL: "warn", HUB_PROT: "1" };
  const { exitCode, json } = await runCommand({ dataDir: folder.path, env }, ["doctor", "--json"]);
  const report = doctorReportSchema.strict().parse(json());
  expect(exitCode).toBe(0);
  expect(report.settings.find(({ name }) => name === "HUB_LOG_LEVEL")).toMatchObject({
    value: "warn",
    origin: "environment",
    changeable: false,
  });
  expect(report.checks).toContainEqual({
    name: "environment",
    status: "warn",
    message: 'HUB_PROT is not a setting of the hub. Did you mean "HUB_PORT"?',
    checked_at: expect.any(String),
  });
});

test("a setting is stored and reset, and cannot be stored while the environment sets it", async () => {
  const name = "HUB_AUDIT_RETENTION_DAYS";
  const stored = await run("setting", "set", name, "30", "--json");
  expect(settingSchema.strict().parse(stored.json())).toMatchObject({ value: "30" });
  expect((await run("setting", "list")).stdout).toMatch(/HUB_AUDIT_RETENTION_DAYS +30 +stored/);
  expect((await run("setting", "set", name, "0")).stderr).toContain("must be a whole number");
  expect((await run("setting", "reset", name)).stdout).toBe(`${name} is 7 again.\n`);
  const given = { dataDir: folder.path, env: { [name]: "9" } };
  const refused = await runCommand(given, ["setting", "set", name, "30"]);
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining("which takes precedence"),
  ]);
});

testOnSqlite(
  "keyFile",
  "doctor reports a hub that cannot be opened, with exit code 1",
  async () => {
    await using broken = await createDataFolder();
    await writeFile(join(broken.path, "keys.json"), "{}", { mode: 0o600 });
    const { exitCode, json } = await runCommand({ dataDir: broken.path }, ["doctor", "--json"]);
    expect(exitCode).toBe(1);
    expect(json()).toMatchObject({ ok: false, checks: [{ name: "start", status: "fail" }] });
  },
);
