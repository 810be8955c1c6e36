/** `hub db copy` and `hub keys env` without a PostgreSQL server. Copies are tested in test/oracles. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createDataFolder } from "../support/data-folder.ts";
import { runCli } from "../support/run-cli.ts";

setDefaultTimeout(180_000);

const sqlite = { HUB_DATABASE_URL: "", HUB_ENC_KEY: "" };

test("hub db copy without HUB_DATABASE_URL says what to set", async () => {
  await using folder = await createDataFolder();
  const refused = await runCli({ dataDir: folder.path, env: sqlite }, ["db", "copy"]);
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining("Set HUB_DATABASE_URL to an empty PostgreSQL database"),
  ]);
});

test("hub keys env shows the ids of the key file, and the keys with --show only", async () => {
  await using folder = await createDataFolder();
  const options = { dataDir: folder.path, env: sqlite };
  const missing = await runCli(options, ["keys", "env"]);
  expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining("keys.json")]);
  await runCli(options, ["keys", "rotate"]);
  const { keys } = await Bun.file(join(folder.path, "keys.json")).json();
  expect(keys).toHaveLength(2);
  // The setting that needs these keys does not matter.
  const env = { HUB_DATABASE_URL: "postgres://127.0.0.1:1/hub", HUB_ENC_KEY: "" };
  const named = await runCli({ ...options, env }, ["keys", "env"]);
  expect(named.stdout).toMatch(/[0-9a-f]{8} \(encrypts\), [0-9a-f]{8}\./);
  const shown = await runCli({ ...options, env }, ["keys", "env", "--show"]);
  expect(shown.stdout).toBe(`HUB_ENC_KEY=${keys.join(",")}\n`);
  expect(shown.stderr).toContain("Keep it like a password.");
  const json = await runCli({ ...options, env }, ["keys", "env", "--json"]);
  for (const key of keys) expect(named.stdout + json.stdout).not.toContain(key);
});
