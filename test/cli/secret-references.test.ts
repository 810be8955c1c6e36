/** References to secrets of managers, on the command line: where a secret may go is seen before it is confirmed. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type CommandProcess, startCommandProcess } from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let folder: DataFolder;
let commands: CommandProcess;
beforeAll(async () => {
  folder = owned.use(await createDataFolder());
  commands = owned.use(startCommandProcess({ dataDir: folder.path }));
  const api = "base_url=https://api.example.com/v1";
  await run("row", "add", "http", "--label", "Tracker", "--set", api);
  const cloud = ["--kind", "aws", "--set", "region=eu-central-1", "--set", "auth=chain"];
  await run("secret-source", "add", "Cloud", ...cloud, "--prefix", "apps");
});
afterAll(() => owned.disposeAsync());

const run = (...argv: string[]) => commands.run({ argv });
const seen = (...addresses: string[]) => addresses.flatMap((one) => ["--address", one]);
const change = (verb: string, ...more: string[]) => run("secret-reference", verb, "Key", ...more);

test("A row gets a secret at addresses that were seen, and again after they changed", async () => {
  const given = ["--source", "Cloud", "--path", "apps/key", "--row", "Tracker"];
  const blind = await change("add", ...given);
  expect([blind.exitCode, blind.stdout]).toEqual([2, ""]);
  expect(blind.stderr).toContain("Tracker\n  built-in http\n  https://api.example.com\n");
  expect(blind.stderr).toContain('--address "built-in http" --address "https://api.example.com"');
  const wrong = seen("built-in http", "https://other.example.com");
  expect((await change("add", ...given, ...wrong)).exitCode).toBe(2);
  const right = seen("built-in http", "https://api.example.com");
  expect(await change("add", ...given, ...right)).toMatchObject({ exitCode: 0, stderr: "" });

  await run("row", "set", "Tracker", "--set", "base_url=https://moved.example.com");
  const list = async () => (await run("secret-reference", "list")).stdout;
  expect(await list()).toContain("Tracker (address changed)");
  // What is not confirmed stays as it was seen.
  expect((await change("set", "--tag", "blue")).exitCode).toBe(0);
  expect((await change("set", "--confirm", ...right)).exitCode).toBe(2);
  expect(await list()).toContain("Tracker (address changed)");
  const moved = seen("built-in http", "https://moved.example.com");
  expect((await change("set", "--confirm", ...moved)).exitCode).toBe(0);
  expect(await list()).not.toContain("address changed");
});
