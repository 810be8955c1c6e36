/** `hub runs retry`: repeats a call that a client made over stdio. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { runDetailSchema } from "@hub/contract/run.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { readAudit, readLastRun } from "../support/audit.ts";
import {
  type CommandProcess,
  runCommand,
  startCommandProcess,
} from "../support/command-process.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { readAnswer } from "../support/mcp-client.ts";
import { toToolCall } from "../support/rpc.ts";
import { initialize, openStdioSession } from "../support/stdio-session.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/fixture-hub.ts");
const env = { FIXTURE_SECRET: "s3cr3t/of+the=row-9fK2xQ7vLm4R" };
const password = "correct horse battery staple";
const owned = new AsyncDisposableStack();
let dataDir: string;
let commands: CommandProcess;
let rowId: string;

beforeAll(async () => {
  dataDir = owned.use(await createDataFolder()).path;
  commands = owned.use(startCommandProcess({ main, dataDir, env }));
  const row = ["row", "add", "fixture", "--label", "Lab", "--tag", "lab", "--json"];
  rowId = (await run(...row, "--secret-env", "secret=FIXTURE_SECRET")).json<{ id: string }>().id;
  await run("user", "add", "ada@example.com", "--tag", "lab");
});
afterAll(() => owned.disposeAsync());

const tryRun = (argv: string[]) => commands.run({ argv });

async function run(...args: string[]) {
  const result = await tryRun(args);
  if (result.exitCode !== 0) throw new Error(result.stderr);
  return result;
}

async function encrypt(...flags: string[]): Promise<string> {
  const options = { main, dataDir, env, stdin: password };
  return (await runCommand(options, ["encrypt", ...flags])).stdout.trim();
}

/** Runs an operation over stdio, as a client does. Returns the answer and the run's id. */
async function callByStdio(operation: string, params: object, ...flags: string[]) {
  await using session = openStdioSession({ main, dataDir, args: flags });
  session.send(initialize);
  await session.answerTo("initialize");
  session.send(toToolCall("hub_execute", { tool_id: `conn:${rowId}/${operation}`, params }, 1));
  const answer = readAnswer((await session.answerTo(1)).result);
  await session.close();
  return { answer, id: readLastRun(dataDir).id };
}

test("runs retry repeats the local admin's call with its original value tokens", async () => {
  const token = await encrypt();
  const { answer, id } = await callByStdio("whisper", { password: token });
  expect(answer.value).toEqual({ length: password.length, said: token });

  const replayed = await run("runs", "retry", id, "--json");
  expect(replayed.json()).toEqual(answer.value);
  const shown = (await run("runs", "show", readLastRun(dataDir).id, "--json")).json();
  expect(runDetailSchema.strict().parse(shown)).toMatchObject({
    parent_run_id: id,
    source: "retry",
    status: "success",
    connector_id: rowId,
    operation_key: "whisper",
    request: { password: token },
  });
  expect(JSON.stringify(readAudit(dataDir))).not.toContain(password);
});

test("a retry passes all current checks, and a refused retry is recorded as denied", async () => {
  const { id } = await callByStdio("greet", { name: "Ada" });
  await run("op", "disable", rowId, "greet");
  const refused = await tryRun(["runs", "retry", id, "--json"]);
  expect([refused.exitCode, refused.stdout]).toEqual([1, ""]);
  expect(JSON.parse(refused.stderr).code).toBe("operation_disabled");
  const denied = { source: "retry", status: "denied", parent_run_id: id };
  expect(readLastRun(dataDir)).toMatchObject(denied);

  await run("op", "enable", rowId, "greet");
  expect((await run("runs", "retry", id, "--json")).json()).toMatchObject({
    greeting: "Hello Ada",
  });
});

nightlyTest(
  "a failed run can be retried, and a retry of a retry names that retry as its parent",
  async () => {
    const { answer, id } = await callByStdio("refuse", {});
    expect(answer.value.code).toBe("upstream_error");
    const refused = await tryRun(["runs", "retry", id, "--json"]);
    expect(JSON.parse(refused.stderr).code).toBe("upstream_error");
    const first = readLastRun(dataDir);
    expect(first).toMatchObject({ source: "retry", parent_run_id: id, status: "error" });
    await tryRun(["runs", "retry", first.id]);
    expect(readLastRun(dataDir)).toMatchObject({ source: "retry", parent_run_id: first.id });
  },
);

nightlyTest(
  "runs retry refuses another user's run, and --form prints its call without value tokens",
  async () => {
    const token = await encrypt("--user", "ada@example.com");
    const params = { password: `Bearer ${token}` };
    const { id } = await callByStdio("whisper", params, "--user", "ada@example.com");
    const before = readAudit(dataDir).length;
    const refused = await tryRun(["runs", "retry", id, "--json"]);
    expect([refused.exitCode, JSON.parse(refused.stderr).code]).toEqual([1, "forbidden"]);
    const form = await run("runs", "retry", id, "--form", "--json");
    expect(form.json()).toEqual({
      tool_id: `conn:${rowId}/whisper`,
      params: { password: "" },
    });
    expect(readAudit(dataDir)).toHaveLength(before);
  },
);

test("the local admin's retry of a test runs as a test, and reaches admin-only operations", async () => {
  await run("row", "test", rowId, "maintain", "--json");
  const { id } = readLastRun(dataDir);
  expect((await run("runs", "retry", id, "--json")).json()).toEqual({ done: true });
  const again = readLastRun(dataDir).id;
  expect((await run("runs", "retry", again, "--json")).json()).toEqual({ done: true });
  expect(readLastRun(dataDir)).toMatchObject({ parent_run_id: again, status: "success" });
});

nightlyTest("runs retry gives an error code for runs that cannot be retried", async () => {
  const codeOf = async (id: string) =>
    JSON.parse((await tryRun(["runs", "retry", id, "--json"])).stderr).code;
  const large = await callByStdio("greet", { name: "x".repeat(40_000) });
  expect(await codeOf(large.id)).toBe("conflict");
  const unknown = await callByStdio("no_such_operation", { name: "Ada" });
  expect(await codeOf(unknown.id)).toBe("conflict");
  expect(await codeOf(crypto.randomUUID())).toBe("not_found");
});

test("call makes several calls in one message, and runs shows in both directions what made what", async () => {
  const calls = [
    { tool_id: `conn:${rowId}/absent`, params: {} },
    { tool_id: `conn:${crypto.randomUUID()}/get`, params: {} },
    { tool_id: `conn:${rowId}/greet`, params: { name: "Ada" } },
  ];
  const options = { main, dataDir, env, stdin: JSON.stringify(calls) };
  const { stdout, exitCode } = await runCommand(options, ["call", "--ordered", "--json"]);
  expect(exitCode).toBe(0);
  const { results, run_id: message } = JSON.parse(stdout);
  expect(results).toMatchObject([
    { status: "denied", code: "not_found" },
    { code: "not_found" },
    { status: "denied", code: "destructive_operation" },
  ]);
  const made = (await run("runs", "--cause", message, "--json")).json<Array<{ id: string }>>();
  const cause = { kind: "batch", id: message };
  expect(made).toMatchObject([{ cause, source: "test" }, { cause }, { cause }]);
  expect((await run("runs", "show", message)).stdout).toMatch(/^calls +3, 3 failed$/m);
  const inner = (await run("runs", "show", made[0]?.id ?? "")).stdout;
  expect(inner).toMatch(new RegExp(`^made by +the message ${message}$`, "m"));
  const named = [
    { row: "a\u001b[2J\u202e", operation: "b", params: {} },
    { row: "Hub", operation: "whoami" },
  ];
  const shown = await runCommand({ ...options, stdin: JSON.stringify(named) }, ["call"]);
  expect(shown.stdout).toStartWith("denied  a\ufffd[2J\ufffd: b\nnot_found: ");
  expect(shown.stdout).toMatch(/\n\nsuccess {2}conn:[\w-]+\/whoami\n\{\n/);
  const unknown = await tryRun(["runs", "--cause", "x"]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining("cause")]);
  for (const [stdin, said] of [
    ["{}", "from standard input is wrong. Call 0:"],
    ["[]", "from standard input is an empty list."],
    ["[", "from standard input is not valid JSON:"],
  ] as const) {
    const wrong = await runCommand({ ...options, stdin }, ["call"]);
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining(said)]);
  }
});
