/** `hub mcp serve`: the tools over standard input and output. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { readAudit } from "./support/audit.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { readAnswer } from "./support/mcp-client.ts";
import { toToolCall } from "./support/rpc.ts";
import { runCli } from "./support/run-cli.ts";
import { startHub } from "./support/start-hub.ts";
import { initialize, openStdioSession, readMessages } from "./support/stdio-session.ts";
import { toDatabaseEnv } from "./support/test-database.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
let dataDir: string;
let rowId: string;

beforeAll(async () => {
  dataDir = owned.use(await createDataFolder()).path;
  rowId = await addRow("Laboratory", "lab");
  await addRow("Vault", "vault");
  await run("user", "add", "ada@example.com", "--tag", "lab");
});

afterAll(() => owned.disposeAsync());

async function run(...args: string[]) {
  const result = await runCli(
    { main, dataDir, env: { SECRET: "stdio-secret-9fK2xQ7vLm4R" } },
    args,
  );
  if (result.exitCode !== 0) throw new Error(result.stderr);
  return result;
}

async function addRow(label: string, tag: string): Promise<string> {
  const args = ["row", "add", "fixture", "--label", label, "--tag", tag, "--json"];
  return (await run(...args, "--secret-env", "secret=SECRET")).json<{ id: string }>().id;
}

function open(args: string[] = [], env: Record<string, string> = {}) {
  const session = openStdioSession({ main, dataDir, args, env });
  session.send(initialize);
  return session;
}

const execute = (operation: string, params: Record<string, unknown>, id: number) =>
  toToolCall("hub_execute", { tool_id: `conn:${rowId}/${operation}`, params }, id);

test("Standard output contains only protocol messages, even at log level trace", async () => {
  await using session = open([], { HUB_LOG_LEVEL: "trace" });
  await session.answerTo("initialize");
  session.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  session.send(execute("log", {}, 1));
  session.send(execute("crash", {}, 2));
  session.send({ jsonrpc: "2.0", id: 3, method: "nope" });
  for (const id of [1, 2, 3]) await session.answerTo(id);
  expect(await session.close()).toBe(0);

  const messages = readMessages(session.stdout());
  expect(session.stdout()).toEndWith("\n");
  expect(messages.map((message) => message.id).toSorted()).toEqual([1, 2, 3, "initialize"]);
  for (const message of messages) expect(message.jsonrpc).toBe("2.0");
  expect(session.stderr()).not.toContain("stdio-secret-9fK2xQ7vLm4R");
});

test("Calls run concurrently, and a long call does not block ping or other calls", async () => {
  await using session = open();
  session.send(execute("wait", {}, 1));
  await waitFor(() =>
    readAudit(dataDir).some((row) => row.operation_key === "wait" && row.status === "running"),
  );
  session.send({ jsonrpc: "2.0", id: 2, method: "ping" });
  session.send(execute("greet", { name: "Ada" }, 3));
  expect((await session.answerTo(2)).result).toEqual({});
  expect(readAnswer((await session.answerTo(3)).result).value).toMatchObject({
    greeting: "Hello Ada",
  });

  session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await waitFor(() =>
    readAudit(dataDir).some((row) => row.operation_key === "wait" && row.status === "cancelled"),
  );
  expect(readMessages(session.stdout()).map((message) => message.id)).not.toContain(undefined);
});

test("A message larger than 64 KiB is read completely", async () => {
  await using session = open();
  const name = "é".repeat(300_000);
  session.send(execute("greet", { name }, 1));
  const answer = readAnswer((await session.answerTo(1)).result);
  expect(answer.value.greeting).toBe(`Hello ${name}`);
});

test("A line of invalid JSON gets a parse error, and the session continues", async () => {
  await using session = open();
  session.sendLine("{ this is not JSON");
  session.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  expect((await session.answerTo(1)).result).toEqual({});
  const error = readMessages(session.stdout()).find((message) => message.id === null);
  expect(error).toMatchObject({ error: { code: -32700 } });
});

describe("The caller over stdio", () => {
  const whoami = async (args: string[]) => {
    await using session = open(args);
    session.send(toToolCall("hub_search", { query: "Who am I" }, 1));
    const { value } = readAnswer((await session.answerTo(1)).result);
    session.send(toToolCall("hub_execute", { tool_id: value.tools[0].tool_id }, 2));
    session.send(toToolCall("hub_list", {}, 3));
    const list = readAnswer((await session.answerTo(3)).result).value;
    const labels = new Set<string>(list.tools.map((tool: { label: string }) => tool.label));
    return { who: readAnswer((await session.answerTo(2)).result).value, labels };
  };

  test("The caller is by default the local admin, who has no account and sees every row", async () => {
    const { who, labels } = await whoami([]);
    expect(who).toMatchObject({ role: "admin" });
    expect([...labels]).toContainValues(["Laboratory", "Vault"]);
    const users = (await run("user", "list", "--json")).json<Array<{ email: string }>>();
    expect(users.map((user) => user.email)).not.toContain(who.email);
  });

  test("With --user, the caller is that user and sees only that user's rows", async () => {
    const { who, labels } = await whoami(["--user", "ada@example.com"]);
    expect(who).toMatchObject({ role: "user", email: "ada@example.com" });
    expect([...labels]).toContain("Laboratory");
    expect([...labels]).not.toContain("Vault");
  });

  test("Disabling the user of a session ends its calls", async () => {
    await run("user", "add", "bob@example.com", "--tag", "lab");
    await using session = open(["--user", "bob@example.com"]);
    session.send(execute("greet", { name: "Bob" }, 1));
    expect(readAnswer((await session.answerTo(1)).result).isError).toBeFalse();
    await run("user", "disable", "bob@example.com");
    session.send(execute("greet", { name: "Bob" }, 2));
    expect(await session.answerTo(2)).toMatchObject({ error: { code: expect.any(Number) } });
    expect(readAudit(dataDir).filter((row) => row.request?.includes("Bob"))).toHaveLength(1);
  });

  test("An unknown --user stops the start with an error", async () => {
    const result = await runCli({ main, dataDir }, ["mcp", "serve", "--user", "eve@example.com"]);
    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain("eve@example.com");
  });
});

test("The first start over stdio prints no credential", async () => {
  await using folder = await createDataFolder();
  await using session = openStdioSession({ dataDir: folder.path });
  session.send(initialize);
  await session.answerTo("initialize");
  await session.close();
  expect(session.stdout() + session.stderr()).not.toContain("hub_pat_");
});

test("An unknown build mode is named in the error", async () => {
  const result = await runCli({ main, dataDir }, ["mcp", "serve", "--mode", "fresh"]);
  expect(result).toMatchObject({ exitCode: 2, stdout: "" });
  expect(result.stderr).toContain("fresh");
});

test("A program without a project cannot be built, and the message says what to add", async () => {
  const result = await runCli({ main, dataDir, isFromSource: true }, [
    "mcp",
    "config",
    "--mode",
    "build",
  ]);
  expect(result).toMatchObject({ exitCode: 1, stdout: "" });
  expect(result.stderr).toContain('Add "hub": {"entry": "FILE"} to the package.json');
});

describe("Encrypting and decrypting for a client over stdio", () => {
  async function callForAddress(tool: string, args: string[] = []) {
    await using session = open(args);
    await session.answerTo("initialize");
    session.send(toToolCall(tool, {}, 1));
    const { value } = readAnswer((await session.answerTo(1)).result);
    return { url: String(value.url), message: String(value.message) };
  }

  test("hub_encrypt gives the local admin a command whose value tokens are valid", async () => {
    const { message } = await callForAddress("hub_encrypt");
    const [, command = ""] = /The full command is: (.*? encrypt)\. /.exec(message) ?? [];
    // A downstream project's program has another name than "hub".
    const install = `${command.replace(/encrypt$/, "")}mcp install --client CLIENT --user EMAIL`;
    expect(message).toEndWith(
      `ask the user to run this command and to restart this client: ${install}`,
    );
    const made = Bun.spawn(["sh", "-c", command], {
      env: { PATH: process.env.PATH, CI: "1", ...toDatabaseEnv(dataDir) },
      cwd: "/",
      stdin: new Blob(["a typed secret"]),
      stdout: "pipe",
    });
    const token = (await new Response(made.stdout).text()).trim();
    expect(token).toMatch(/^hub_enc_[\w-]+$/);
    await using session = open();
    await session.answerTo("initialize");
    session.send(execute("whisper", { password: token }, 1));
    expect(readAnswer((await session.answerTo(1)).result).isError).toBe(false);
  });

  test("hub_decrypt gives the local admin a command, and a user a page", async () => {
    expect((await callForAddress("hub_decrypt")).message).toMatch(
      /The full command is: .* --data-dir .* decrypt\. /,
    );
    const { url, message } = await callForAddress("hub_decrypt", ["--user", "ada@example.com"]);
    expect(message).toContain("Ask the user to open this page");
    expect(url).toEndWith("/tools/encfields/decrypt");
  });

  nightlyTest("The page is on the server that uses the same data folder", async () => {
    await using hub = await startHub({ main });
    const baseUrl = `http://localhost:${hub.port}`;
    await using session = openStdioSession({ main, dataDir: hub.dataDir });
    session.send(initialize);
    await session.answerTo("initialize");
    session.send(toToolCall("hub_encrypt", {}, 1));
    const { value } = readAnswer((await session.answerTo(1)).result);
    expect(value.url).toBe(`${baseUrl}/tools/encfields`);

    const config = await hub.cli("mcp", "config", "--json");
    const [entry] = config.json<{ text: string }[]>();
    expect(JSON.parse(entry?.text ?? "").mcpServers.hub.env).toEqual({
      HUB_DATA_DIR: hub.dataDir,
      HUB_BASE_URL: baseUrl,
    });
    const doctor = (await hub.cli("doctor", "--json")).json<{ checks: unknown[] }>();
    expect(doctor.checks).toContainEqual({
      name: "address",
      status: "ok",
      message: expect.stringContaining(`reached as ${baseUrl}, served by process `),
      checked_at: expect.any(String),
    });
  });
});
