/** What the program says and keeps when it starts, stops, starts again, or is killed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { JSONRPCResultResponseSchema } from "@modelcontextprotocol/sdk/types.js";
import { readAudit, readHeartbeats } from "./support/audit.ts";
import { collectText } from "./support/collect-text.ts";
import { connectCommand, connectHttp } from "./support/connect-sdk-1.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { readAnswer, type TestClient } from "./support/mcp-client.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { runCli, toHubEnv } from "./support/run-cli.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { initialize } from "./support/stdio-session.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(30_000);

describe("the first start prints lines that work as they are pasted", () => {
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
    if (line === undefined) throw new Error(`No line holds ${word}:\n${hub.stdout()}`);
    return line.trim();
  };

  test("one for curl, which calls a tool", async () => {
    const shell = Bun.spawn(["sh", "-c", findLine("curl ")], { stdout: "pipe" });
    const { result } = JSONRPCResultResponseSchema.parse(await shell.stdout.json());
    expect(readAnswer(result).value.total).toBeGreaterThan(0);
  });

  test("one for clients that connect over HTTP", async () => {
    const { url, headers } = JSON.parse(findLine('"headers"')).mcpServers.hub;
    const token = headers.Authorization.replace("Bearer ", "");
    await using client = await connectHttp(url.replace(/\/mcp$/, ""), token);
    expect(await whoIs(client)).toMatchObject({ role: "admin", email: "admin@localhost" });
  });

  test("one for clients that start the hub themselves, wherever they stand", async () => {
    const server = JSON.parse(findLine('"command"')).mcpServers.hub;
    expect(server.env.HUB_DATA_DIR).toBe(hub.dataDir);
    await using client = await connectCommand({ ...server, cwd: "/" });
    expect(await whoIs(client)).toMatchObject({ role: "admin" });
  });

  async function whoIs(client: TestClient) {
    const { value } = await client.call("hub_search", { query: "Who am I" });
    return (await client.execute(value.tools[0].tool_id)).value;
  }
});

test("the folder is the owner's alone", async () => {
  await using folder = await createDataFolder();
  const dataDir = join(folder.path, "hub");
  await using _ = await startHub({ dataDir });
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
});

test("a second start prints no secret, and what was there is there", async () => {
  await using folder = await createDataFolder();
  const first = await startHub({ dataDir: folder.path });
  const token = first.adminToken();
  expect(await first.stop()).toBe(0);

  await using second = await startHub({ dataDir: folder.path });
  expect(second.stdout() + second.stderr()).not.toMatch(/hub_pat_[0-9a-f]{32}/);
  await using client = await connectHttp(second.url, token);
  expect((await client.call("hub_list")).isError).toBeFalse();
});

test("a client that holds a session keeps working after the server was started again", async () => {
  await using folder = await createDataFolder();
  const first = await startHub({ dataDir: folder.path });
  await using client = await connectHttp(first.url, first.adminToken());
  expect((await client.call("hub_list")).isError).toBeFalse();
  await first.stop();

  const env = { HUB_PORT: String(first.port) };
  await using _ = await startHub({ dataDir: folder.path, env });
  expect((await client.call("hub_list")).isError).toBeFalse();
  expect((await client.call("hub_info")).isError).toBeFalse();
});

test("HUB_MCP_SESSIONS=strict answers 404 to the session id of an earlier process", async () => {
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
});

test("a run that a killed server left behind becomes cancelled", async () => {
  await using folder = await createDataFolder();
  const main = join(import.meta.dirname, "support/fixture-hub.ts");
  const env = { SECRET: "left-behind" };
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

  // At once, however fresh the killed server's heartbeat is.
  await using _ = await startHub({ dataDir: folder.path, main });
  expect(await waitFor(() => findRun()?.status === "cancelled" && findRun())).toMatchObject({
    status: "cancelled",
    ended_at: expect.any(Number),
  });
});

test("a stop lets the call under way end, and leaves nothing running", async () => {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await using stack = new AsyncDisposableStack();
  const outside = Bun.serve({
    port: 0,
    async fetch() {
      asked.resolve();
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
  await asked.promise;
  const stopped = hub.stop();
  // The door is shut while the call goes on.
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

test("when a token was last used is known once the server has stopped", async () => {
  await using hub = await startHub();
  await using client = await connectHttp(hub.url, hub.adminToken());
  await client.call("hub_list");
  await hub.stop();
  const listed = (await hub.cli("token", "list", "--json")).json<object[]>();
  expect(listed).toMatchObject([{ name: "first start", last_used_at: expect.any(String) }]);
});

test("npm start ends with its hub when it is told to", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = stack.use(await createDataFolder()).path;
  const npm = Bun.spawn(["npm", "start"], {
    cwd: join(import.meta.dirname, ".."),
    env: toHubEnv({ dataDir }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    // A group of its own, so that nothing stays when this fails.
    detached: true,
  });
  stack.defer(() => void Bun.spawnSync(["kill", "-KILL", "--", `-${npm.pid}`]));
  const stdout = collectText(npm.stdout);
  const [, port] = await stdout.waitForMatch(/localhost:(\d+)\/mcp/);
  await waitFor(() => readHeartbeats(dataDir).length > 0);
  npm.kill("SIGTERM");
  await npm.exited;
  // A shell between the two would leave the hub behind, with its heartbeat.
  expect(readHeartbeats(dataDir)).toEqual([]);
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});

test("a bad setting stops the start with a sentence that names it", async () => {
  await using folder = await createDataFolder();
  const options = { dataDir: folder.path, env: { HUB_PORT: "seventy" } };
  const result = await runCli(options, ["serve"]);
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain("HUB_PORT must be a whole number from 0 to 65535");
});

test("a port that is taken stops the start, with what to do", async () => {
  await using hub = await startHub();
  await using folder = await createDataFolder();
  const env = { HUB_PORT: String(hub.port) };
  const { exitCode, stderr } = await runCli({ dataDir: folder.path, env }, ["serve"]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    "another program, perhaps a hub, already uses this port. Stop it, or set HUB_PORT.",
  );
});

test("a key file that others can read stops the start, with what to type", async () => {
  await using folder = await createDataFolder();
  const first = await startHub({ dataDir: folder.path });
  await first.stop();
  const [keyFile = ""] = await Array.fromAsync(new Bun.Glob("*key*").scan(folder.path));
  expect(keyFile).not.toBe("");
  await chmod(join(folder.path, keyFile), 0o644);
  const result = await runCli({ dataDir: folder.path }, ["serve"]);
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain("chmod 600");
});
