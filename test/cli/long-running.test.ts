/** Commands that run until a signal ends them. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { runDetailSchema, runSchema } from "@hub/contract/run.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { addOvertakenRun, ageInstances, readHeartbeats } from "../support/audit.ts";
import { collectText } from "../support/collect-text.ts";
import { startCommandProcess } from "../support/command-process.ts";
import { toProgramCommand } from "../support/compile-programs.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { endWithRunner } from "../support/end-with-runner.ts";
import { hubMain, runCli, toHubEnv } from "../support/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(180_000);

/** Starts a command and leaves it running. Disposing of it sends SIGINT, as Ctrl-C does. */
function start(dataDir: string, args: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...toProgramCommand(hubMain), ...args], {
    env: toHubEnv({ dataDir, env }),
    cwd: dataDir,
    // Stays open, because a client may leave it open.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  endWithRunner(child);
  const stdout = collectText(child.stdout);
  const stderr = collectText(child.stderr);
  const stop = async () => {
    child.kill("SIGINT");
    await Promise.all([stdout.ended, stderr.ended]);
    return await child.exited;
  };
  return {
    stdin: child.stdin,
    exited: child.exited,
    stdout,
    stderr,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

test("serve --json prints one document, with the first admin's password and token", async () => {
  await using folder = await createDataFolder();
  const server = start(folder.path, ["serve", "--port", "0", "--json"]);
  await server.stdout.waitForMatch(/\n}\n/);
  expect(await server.stop()).toBe(0);
  expect(JSON.parse(server.stdout.text())).toEqual({
    url: expect.stringMatching(/^http:\/\/[\w.]+:\d+$/),
    mcp_url: expect.stringMatching(/\/mcp$/),
    pid: expect.any(Number),
    data_dir: folder.path,
    first_admin: {
      email: "admin@localhost",
      token: expect.stringMatching(/^hub_pat_/),
      one_time_password: expect.stringMatching(/^(\w{4}-){3}\w{4}$/),
    },
  });
});

nightlyTest(
  "of two servers that start at once on one data folder, only one prints a token",
  async () => {
    await using folder = await createDataFolder();
    await using first = start(folder.path, ["serve"]);
    await using second = start(folder.path, ["serve"]);
    const started = /(?:hub_pat_[0-9a-f]{32}|token create)/;
    await Promise.all([first.stdout.waitForMatch(started), second.stdout.waitForMatch(started)]);
    const outputs = [first, second].map(({ stdout }) => stdout.text());
    expect(outputs.filter((text) => text.includes("hub_pat_"))).toHaveLength(1);
    const users = await runCli({ dataDir: folder.path }, ["user", "list", "--json"]);
    expect(users.json()).toMatchObject([{ email: "admin@localhost" }]);
  },
);

test("serve warns of unmasked secrets, of an open address and of unknown settings", async () => {
  await using folder = await createDataFolder();
  const env = { HUB_ENC_DISABLE: "1", HUB_HOST: "0.0.0.0", HUB_PROT: "1" };
  await using server = start(folder.path, ["serve"], env);
  await server.stdout.waitForMatch(/hub_pat_/);
  const warnings = server.stderr.text();
  expect(warnings).toContain("warning: HUB_ENC_DISABLE is set");
  expect(warnings).toMatch(/warning: .*0\.0\.0\.0, which is open to the network.*localhost:\d+/);
  expect(warnings).toContain(
    'warning: HUB_PROT is not a setting of the hub. Did you mean "HUB_PORT"?',
  );
});

test("runs --follow prints each run of another process as it ends", async () => {
  await using folder = await createDataFolder();
  await using commands = startCommandProcess({ dataDir: folder.path });
  const run = (...argv: string[]) => commands.run({ argv });
  await run("row", "test", "Hub", "whoami");
  const follower = start(folder.path, ["runs", "--follow", "--status", "success", "--json"]);
  await follower.stdout.waitForMatch(/"whoami"/);
  await run("row", "test", "Hub", "whoami", "--params-json", '{"nothing": "known"}');
  await run("row", "test", "Hub", "my_recent_calls");
  await follower.stdout.waitForMatch(/"my_recent_calls"/);
  expect(await follower.stop()).toBe(0);

  const lines = follower.stdout.text().trimEnd().split("\n");
  const runs = lines.map((line) => runSchema.strict().parse(JSON.parse(line)));
  expect(runs.map((each) => each.operation_key)).toEqual(["whoami", "my_recent_calls"]);
  const [latest] = runs.slice(-1);
  const shown = await run("runs", "show", latest?.id ?? "", "--json");
  expect(runDetailSchema.strict().parse(shown.json()).status).toBe("success");
});

nightlyTest("runs --follow prints a run that began earlier and was written later", async () => {
  await using folder = await createDataFolder();
  await runCli({ dataDir: folder.path }, ["row", "test", "Hub", "whoami"]);
  const follower = start(folder.path, ["runs", "--follow", "--json"]);
  await follower.stdout.waitForMatch(/"whoami"/);
  await runCli({ dataDir: folder.path }, ["row", "test", "Hub", "my_recent_calls"]);
  await follower.stdout.waitForMatch(/"my_recent_calls"/);
  addOvertakenRun(folder.path);
  await follower.stdout.waitForMatch(/"overtaken"/);
  expect(await follower.stop()).toBe(0);
  expect(follower.stdout.text().trimEnd().split("\n")).toHaveLength(3);
});

nightlyTest(
  "a long-running command sends heartbeats, so that its runs are not cancelled",
  async () => {
    await using folder = await createDataFolder();
    await runCli({ dataDir: folder.path }, ["user", "list"]);
    await using _ = start(folder.path, ["runs", "--follow"]);
    await waitFor(() => readHeartbeats(folder.path).length === 1);
    ageInstances(folder.path);
    await waitFor(() => readHeartbeats(folder.path).every((beatAt) => beatAt > 0));
  },
);

nightlyTest("runs --follow ends when its reader closes the pipe", async () => {
  await using folder = await createDataFolder();
  await using commands = startCommandProcess({ dataDir: folder.path });
  const callOnce = () => commands.run({ argv: ["row", "test", "Hub", "whoami"] });
  await callOnce();
  const follower = Bun.spawn([...toProgramCommand(hubMain), "runs", "--follow"], {
    env: toHubEnv({ dataDir: folder.path }),
    stdin: "ignore",
    stdout: "pipe",
  });
  endWithRunner(follower);
  const reader = follower.stdout.getReader();
  await reader.read();
  await reader.cancel();
  // The closed pipe is noticed only when there is something to print.
  await waitFor(async () => {
    await callOnce();
    return follower.exitCode !== null;
  });
  expect(follower.exitCode).toBe(0);
});

test("mcp serve ends on a signal even if its client leaves the pipe open", async () => {
  await using folder = await createDataFolder();
  const server = start(folder.path, ["mcp", "serve"]);
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
  await server.stdin.flush();
  await server.stdout.waitForMatch(/"id":1/);
  expect(await server.stop()).toBe(0);
});

test("mcp serve for an unknown user ends with an error, and nothing on standard output", async () => {
  await using folder = await createDataFolder();
  const server = start(folder.path, ["mcp", "serve", "--user", "nobody@example.com"]);
  expect(await server.exited).toBe(1);
  await server.stderr.waitForMatch(/There is no user "nobody@example.com"/);
  expect(server.stdout.text()).toBe("");
});
