/** Runs of workflows on the command line. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type CommandProcess, startCommandProcess } from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";

setDefaultTimeout(60_000);

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

test("Without a server, run says that the run is queued, and does not wait", async () => {
  const started = await run("workflow", "run", "Greeter", "--payload", '{"name": "Ada"}', "--wait");
  expect([started.exitCode, started.stderr]).toEqual([
    0,
    "No server of this hub is running. The run is queued and begins when one starts.\n",
  ]);
  expect(started.stdout).toMatch(/state +queued/);
  const [newest] = JSON.parse((await run("workflow", "runs", "Greeter", "--json")).stdout);
  expect(newest).toMatchObject({ state: "queued", started_by: "local-admin" });
  const cancelled = await run("workflow", "cancel", "Greeter", newest.id);
  expect(cancelled.stdout).toBe("The run is cancelled.\n");
  const wrong = await run("workflow", "run", "Greeter", "--payload", "{");
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining("not valid JSON")]);
});

describe("with a server", () => {
  let hub: RunningHub;
  let failing: string;
  beforeAll(async () => {
    hub = owned.use(await startHub());
    const owner = ["--owner", "admin@localhost"];
    const add = async (name: string, body: unknown) => {
      const file = join(folder.path, `${name}.json`);
      await Bun.write(file, JSON.stringify(body));
      const made = await hub.cli("workflow", "new", name, ...owner, "--file", file, "--json");
      await hub.cli("workflow", "publish", name);
      return made.json<{ id: string }>().id;
    };
    await add("Greeter", greeting);
    failing = await add("Failing", {
      triggers: [{ id: "start", type: "manual", entry: "stop" }],
      nodes: [{ id: "stop", type: "fail", message: "It is closed." }],
    });
  });

  test("run --wait prints the outcome, watch the steps, and replay starts the same again", async () => {
    const file = join(folder.path, "payload.json");
    await Bun.write(file, '{"name": "Ada"}');
    const ran = await hub.cli(
      "workflow",
      "run",
      "Greeter",
      "--payload",
      `@${file}`,
      "--wait",
      "--json",
    );
    const outcome = ran.json<{ run_id: string }>();
    expect(outcome).toMatchObject({ state: "succeeded", output: "Hello Ada" });
    const watched = await hub.cli("workflow", "watch", "Greeter", outcome.run_id);
    expect(watched.stdout).toBe("succeeded  greet\nThe run succeeded.\n");
    const again = await hub.cli(
      "workflow",
      "replay",
      "Greeter",
      outcome.run_id,
      "--wait",
      "--json",
    );
    expect(again.json()).toMatchObject({ state: "succeeded", output: "Hello Ada" });
    const shown = await hub.cli("workflow", "runs", "Greeter", outcome.run_id);
    expect(shown.stdout).toMatch(/greet +- +succeeded/);
  });

  test("run --wait and watch exit with 1 for a run that failed", async () => {
    const ran = await hub.tryCli(["workflow", "run", failing, "--wait", "--json"]);
    expect(ran.exitCode).toBe(1);
    const { run_id } = JSON.parse(ran.stdout);
    const watched = await hub.tryCli(["workflow", "watch", failing, run_id, "--json"]);
    expect(watched.exitCode).toBe(1);
    const events = watched.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events).toMatchObject([
      { step: { node_id: "stop", state: "failed" } },
      { run: { id: run_id, state: "failed", error: { message: "It is closed." } } },
    ]);
  });
});
