/** The program's output and state when it starts, stops, restarts or is killed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { JSONRPCResultResponseSchema } from "@modelcontextprotocol/sdk/types.js";
import { ageInstances, readAudit, readHeartbeats } from "./support/audit.ts";
import { collectText } from "./support/collect-text.ts";
import { connectCommand, connectHttp } from "./support/connect-sdk-1.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { endWithRunner } from "./support/end-with-runner.ts";
import { findFreePort } from "./support/free-port.ts";
import { readAnswer, type TestClient } from "./support/mcp-client.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type CliResult, runCli, toHubEnv } from "./support/run-cli.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { initialize } from "./support/stdio-session.ts";
import { createTestDatabase, toDatabaseEnv, usesPostgres } from "./support/test-database.ts";
import { testOnSqlite } from "./support/test-on-sqlite.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

describe("The output of the first start", () => {
  const owned = new AsyncDisposableStack();
  let hub: RunningHub;

  beforeAll(async () => {
    hub = owned.use(await startHub());
  });

  afterAll(() => owned.disposeAsync());

  const findLine = (word: string): string => {
    const line = hub
      .stdout()
      .split("\n")
      .find((each) => each.includes(word));
    if (line === undefined) throw new Error(`No line contains ${word}:\n${hub.stdout()}`);
    return line.trim();
  };

  test("The first start prints a curl command that calls a tool", async () => {
    const shell = Bun.spawn(["sh", "-c", findLine("curl ")], { stdout: "pipe" });
    const { result } = JSONRPCResultResponseSchema.parse(await shell.stdout.json());
    expect(readAnswer(result).value.total).toBeGreaterThan(0);
  });

  test("The first start prints a configuration for HTTP clients", async () => {
    const { url, headers } = JSON.parse(findLine('"headers"')).mcpServers.hub;
    const token = headers.Authorization.replace("Bearer ", "");
    await using client = await connectHttp(url.replace(/\/mcp$/, ""), token);
    expect(await readCaller(client)).toMatchObject({ role: "admin", email: "admin@localhost" });
  });

  nightlyTest(
    "The first start prints a configuration for stdio clients that works in any folder",
    async () => {
      const server = JSON.parse(findLine('"command"')).mcpServers.hub;
      expect(server.env.HUB_DATA_DIR).toBe(hub.dataDir);
      // The entry has no secrets, and the address of a database is one.
      const env = { ...server.env, ...toDatabaseEnv(hub.dataDir) };
      await using client = await connectCommand({ ...server, env, cwd: "/" });
      expect(await readCaller(client)).toMatchObject({ role: "admin" });
    },
  );

  async function readCaller(client: TestClient) {
    const { value } = await client.call("hub_search", { query: "Who am I" });
    return (await client.execute(value.tools[0].tool_id)).value;
  }
});

describe("A hub that was stopped and started again", () => {
  const owned = new AsyncDisposableStack();
  let dataDir: string;
  let dataFolderMode: number;
  let firstExit: number;
  let token: string;
  let client: TestClient;
  let tokensAfterStop: object[];
  let openKeyFile: CliResult;
  let second: RunningHub;

  beforeAll(async () => {
    dataDir = join(owned.use(await createDataFolder()).path, "hub");
    owned.defer(await createTestDatabase(dataDir));
    const env = { HUB_PORT: String(await findFreePort()) };
    const first = owned.use(await startHub({ dataDir, env }));
    dataFolderMode = (await stat(dataDir)).mode & 0o777;
    token = first.adminToken();
    client = owned.use(await connectHttp(first.url, token));
    expect((await client.call("hub_list")).isError).toBeFalse();
    firstExit = await first.stop();
    tokensAfterStop = (await first.cli("token", "list", "--json")).json<object[]>();
    if (!usesPostgres) openKeyFile = await startWithOpenKeyFile();
    second = owned.use(await startHub({ dataDir, env }));
  });
  afterAll(() => owned.disposeAsync());

  async function startWithOpenKeyFile(): Promise<CliResult> {
    const [keyFile = ""] = await Array.fromAsync(new Bun.Glob("*key*").scan(dataDir));
    expect(keyFile).not.toBe("");
    await chmod(join(dataDir, keyFile), 0o644);
    const result = await runCli({ dataDir }, ["serve"]);
    await chmod(join(dataDir, keyFile), 0o600);
    return result;
  }

  test("Only the owner can read the data folder", () => {
    expect(dataFolderMode).toBe(0o700);
  });

  test("The first stop stored the last use of each token", () => {
    expect(firstExit).toBe(0);
    expect(tokensAfterStop).toMatchObject([
      { name: "first start", last_used_at: expect.any(String) },
    ]);
  });

  test("The second start prints no secret, and the first token stays valid", async () => {
    expect(second.stdout() + second.stderr()).not.toMatch(/hub_pat_[0-9a-f]{32}/);
    await using other = await connectHttp(second.url, token);
    expect((await other.call("hub_list")).isError).toBeFalse();
  });

  test("A client's MCP session continues after the restart", async () => {
    expect((await client.call("hub_list")).isError).toBeFalse();
    expect((await client.call("hub_info")).isError).toBeFalse();
  });

  test("A used port stops the start with a message that says what to do", async () => {
    await using folder = await createDataFolder();
    const env = { HUB_PORT: String(second.port) };
    const { exitCode, stderr } = await runCli({ dataDir: folder.path, env }, ["serve"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      "another program, perhaps a hub, already uses this port. Stop it, or set HUB_PORT.",
    );
  });

  testOnSqlite(
    "keyFile",
    "A key file that others can read stops the start with the command that fixes it",
    () => {
      expect(openKeyFile.exitCode).toBe(1);
      expect(openKeyFile.stderr).toContain("chmod 600");
    },
  );
});

testOnSqlite(
  "strictSessions",
  "With HUB_MCP_SESSIONS=strict, the session id of an earlier process gets 404",
  async () => {
    await using folder = await createDataFolder();
    const first = await startHub({ dataDir: folder.path });
    const token = first.adminToken();
    const answer = await postRpc(first.url, token, initialize);
    const headers = { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "" };
    expect((await postRpc(first.url, token, toToolCall("hub_list", {}), headers)).status).toBe(200);
    await first.stop();

    const env = { HUB_MCP_SESSIONS: "strict" };
    await using second = await startHub({ dataDir: folder.path, env });
    const refused = await postRpc(second.url, token, toToolCall("hub_list", {}), headers);
    expect(refused.status).toBe(404);
  },
);

test("A run that a killed server left running becomes cancelled", async () => {
  await using folder = await createDataFolder();
  const main = join(import.meta.dirname, "support/fixture-hub.ts");
  const env = { SECRET: "left-behind-9fK2xQ7vLm4R" };
  const first = await startHub({ dataDir: folder.path, main, env });
  const row = await first.cli(
    ...["row", "add", "fixture", "--label", "Lab", "--secret-env", "secret=SECRET", "--json"],
  );
  const toolId = `conn:${row.json<{ id: string }>().id}/wait`;
  const message = toToolCall("hub_execute", { tool_id: toolId });
  const outcome = postRpc(first.url, first.adminToken(), message)
    .then((reply) => reply.text())
    .then(
      () => "answered",
      () => "broken off",
    );
  const findRun = () => readAudit(folder.path).find((run) => run.operation_key === "wait");
  await waitFor(() => findRun()?.status === "running");
  await first.kill();
  expect(await outcome).toBe("broken off");

  // A lock file shows at once that its process is dead. On PostgreSQL, the heartbeat has to expire.
  if (usesPostgres) ageInstances(folder.path);
  await using _ = await startHub({ dataDir: folder.path, main });
  expect(await waitFor(() => findRun()?.status === "cancelled" && findRun())).toMatchObject({
    status: "cancelled",
    ended_at: expect.any(Number),
  });
});

test("A stop waits for a running call", async () => {
  const requested = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await using stack = new AsyncDisposableStack();
  const outside = Bun.serve({
    port: 0,
    async fetch() {
      requested.resolve();
      await released.promise;
      return Response.json({ late: true });
    },
  });
  stack.defer(() => outside.stop(true));
  const hub = stack.use(await startHub());
  const row = ["row", "add", "http", "--label", "Slow", "--set", `base_url=${outside.url}`];
  const { id } = (await hub.cli(...row, "--json")).json<{ id: string }>();
  const client = stack.use(await connectHttp(hub.url, hub.adminToken()));

  const answer = client.execute(`conn:${id}/get`, { path: "/" });
  await requested.promise;
  const stopped = hub.stop();
  // New connections are refused while the call runs.
  await waitFor(() =>
    fetch(`${hub.url}/health`).then(
      () => false,
      () => true,
    ),
  );
  released.resolve();
  expect((await answer).value).toMatchObject({ status: 200, body: { late: true } });
  expect(await stopped).toBe(0);
  expect(readAudit(hub.dataDir).map((run) => run.status)).toEqual(["success"]);
  expect(readHeartbeats(hub.dataDir)).toEqual([]);
});

nightlyTest("npm start stops its hub on SIGTERM", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = stack.use(await createDataFolder()).path;
  const npm = Bun.spawn(["npm", "start"], {
    cwd: join(import.meta.dirname, ".."),
    env: toHubEnv({ dataDir }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    // Runs in a new process group, so that the cleanup ends all processes.
    detached: true,
  });
  // The number of a group is negative.
  endWithRunner({ pid: -npm.pid, exited: npm.exited });
  stack.defer(() => void Bun.spawnSync(["kill", "-KILL", "--", `-${npm.pid}`]));
  const stdout = collectText(npm.stdout);
  const [, port] = await stdout.waitForMatch(/localhost:(\d+)\/mcp/);
  await waitFor(() => readHeartbeats(dataDir).length > 0);
  npm.kill("SIGTERM");
  await npm.exited;
  // If npm started the hub through a shell, the hub would keep running with its heartbeat.
  expect(readHeartbeats(dataDir)).toEqual([]);
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});

test("An invalid setting stops the start with a message that names it", async () => {
  await using folder = await createDataFolder();
  const options = { dataDir: folder.path, env: { HUB_PORT: "seventy" } };
  const result = await runCli(options, ["serve"]);
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain("HUB_PORT must be a whole number from 0 to 65535");
});
