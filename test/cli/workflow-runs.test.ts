/** Runs of workflows on the command line. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type CommandProcess, startCommandProcess } from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";

setDefaultTimeout(30_000);

const owned = new AsyncDisposableStack();
let folder: DataFolder;
let commands: CommandProcess;
let id: string;
beforeAll(async () => {
  folder = owned.use(await createDataFolder());
  commands = owned.use(startCommandProcess({ dataDir: folder.path }));
  await run("user", "add", "ada@example.com");
  const file = join(folder.path, "greeting.json");
  await Bun.write(file, JSON.stringify(greeting));
  const create = ["workflow", "new", "Greeter", "--owner", "ada@example.com", "--file", file];
  id = JSON.parse((await run(...create, "--json")).stdout).id;
  await run("workflow", "publish", id);
});
afterAll(() => owned.disposeAsync());

const run = (...argv: string[]) => commands.run({ argv });

const greeting = {
  triggers: [{ id: "start", type: "manual", entry: "greet", input: [{ name: "Name" }] }],
  nodes: [{ id: "greet", type: "set", value: "Hello {{.Event.Payload.name}}" }],
};

test("Without a server, the tool that starts a run answers at once that the run is queued", async () => {
  const params = JSON.stringify({ workflow_id: id, payload: { name: "Ada" }, wait_s: 30 });
  const call = ["row", "test", "Workflows", "workflow_run_now", "--params-json", params, "--json"];
  const { exitCode, stdout } = await run(...call);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    state: "queued",
    note: expect.stringContaining("No server of this hub is running"),
  });
});
