/**
 * Each code of the failure list, as an MCP client meets it, but for `plugin_unavailable`, which
 * comes with the plugin host.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { readAudit, readLastRun } from "./support/audit.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { readAnswer, type TestClient } from "./support/mcp-client.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const secret = "s3cr3t/of+the=row-9fK2xQ7vLm4R";
const main = join(import.meta.dirname, "support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let ada: TestUser;
let client: TestClient;
/** A row that Ada sees, one that she does not, and one that is not set up. */
let seen: string;
let hidden: string;
let bare: string;

beforeAll(async () => {
  hub = owned.use(await startHub({ isHere: true, main }));
  ada = await hub.addUser("ada@example.com", { tags: ["lab"] });
  [seen, hidden, bare] = await Promise.all([
    addRow("Seen", "lab", secret),
    addRow("Hidden", "vault", secret),
    addRow("Bare", "lab"),
  ]);
  client = owned.use(await connectHttp(hub.url, ada.token));
});

afterAll(() => owned.disposeAsync());

async function addRow(label: string, tag: string, value?: string): Promise<string> {
  const args = ["row", "add", "fixture", "--label", label, "--tag", tag, "--json"];
  const withSecret =
    value === undefined ? ["--incomplete"] : ["--secret-env", "secret=FIXTURE_SECRET"];
  const env = { FIXTURE_SECRET: value ?? "" };
  const result = await hub.tryCli([...args, ...withSecret], { env });
  if (result.exitCode !== 0) throw new Error(result.stderr);
  return result.json<{ id: string }>().id;
}

const toToolId = (rowId: string, operation: string) => `conn:${rowId}/${operation}`;

describe("not_found", () => {
  test("a hidden tool answers with the same bytes as one that does not exist", async () => {
    const absent = crypto.randomUUID();
    for (const name of ["hub_execute", "hub_get"]) {
      const answers = await Promise.all(
        [hidden, absent].map(async (rowId) => {
          const args = { tool_id: toToolId(rowId, "greet") };
          const response = await postRpc(hub.url, ada.token, toToolCall(name, args));
          const { date: _, "x-request-id": __, ...headers } = response.headers.toJSON();
          const body = (await response.text()).replaceAll(rowId, "(row)");
          return { status: response.status, headers, body };
        }),
      );
      expect(answers[0]).toEqual(answers[1]);
      expect(readAnswer(JSON.parse(answers[0]?.body ?? "").result)).toMatchObject({
        isError: true,
        value: { code: "not_found" },
      });
    }
  });

  test("both attempts are on record as denied", async () => {
    await client.execute(toToolId(hidden, "greet"));
    expect(readLastRun(hub.dataDir)).toMatchObject({
      connector_id: hidden,
      operation_key: "greet",
      status: "denied",
      error_code: "not_found",
      token_id: ada.tokenId,
    });
  });

  test("the caller's own record of the attempt does not tell the hidden row's label", async () => {
    await client.execute(toToolId(hidden, "greet"));
    const { value: found } = await client.call("hub_search", { query: "My recent calls" });
    const answer = await client.execute(found.tools[0].tool_id, { status: "denied", limit: 1 });
    expect(answer.value.calls).toMatchObject([
      { tool_id: toToolId(hidden, "greet"), tool: "greet", status: "denied" },
    ]);
    expect(answer.text).not.toContain("Hidden");
  });

  test.each([
    "maintain",
    "lookup_only",
    "no_such_operation",
    "",
  ])("an operation that is not offered to clients is absent, for admins too: %p", async (operation) => {
    await using admin = await connectHttp(hub.url, hub.adminToken());
    const answer = await admin.execute(toToolId(seen, operation));
    expect(answer).toMatchObject({ isError: true, value: { code: "not_found" } });
  });

  test.each([
    "",
    "greet",
    "conn:",
    "other:x/y",
    "conn:../../etc/passwd/greet",
  ])("a tool id that is none is not found: %p", async (toolId) => {
    const answer = await client.execute(toolId);
    expect(answer).toMatchObject({ isError: true, value: { code: "not_found" } });
  });
});

describe("invalid_params", () => {
  test("names every fault, and suggests the name that was meant", async () => {
    const answer = await client.execute(toToolId(seen, "greet"), {
      Tone: "friendly",
      tone: "rude",
      times: "many",
    });
    expect(answer).toMatchObject({ isError: true, value: { code: "invalid_params" } });
    const paths = answer.value.issues.map((issue: { path: string }) => issue.path);
    expect(paths.toSorted()).toEqual(["Tone", "name", "times", "tone"]);
    expect(answer.value.issues.find((issue: { path: string }) => issue.path === "Tone")).toEqual({
      path: "Tone",
      message: expect.stringContaining('"tone"'),
    });
    expect(readLastRun(hub.dataDir)).toMatchObject({
      status: "error",
      error_code: "invalid_params",
      row_label: "Seen",
    });
  });

  test("text that is plainly a number is taken as one", async () => {
    const answer = await client.execute(toToolId(seen, "greet"), { name: "Ada", times: "3" });
    expect(answer).toMatchObject({ isError: false, value: { greeting: "Hello Ada", times: 3 } });
  });
});

test("needs_setup says what an admin must set, although the row is listed", async () => {
  const { value } = await client.call("hub_list");
  expect(value.tools.map((tool: { tool_id: string }) => tool.tool_id)).toContain(
    toToolId(bare, "greet"),
  );
  const answer = await client.execute(toToolId(bare, "greet"), { name: "Ada" });
  expect(answer).toMatchObject({
    isError: true,
    value: { code: "needs_setup", error: expect.stringContaining("secret") },
  });
  expect(readLastRun(hub.dataDir)).toMatchObject({ status: "error", error_code: "needs_setup" });
});

test("token_invalid: a token whose characters were changed is refused before the call", async () => {
  const { stdout } = await hub.tryCli(["encrypt", "--user", ada.email], { stdin: "a password" });
  const token = stdout.trim();
  expect(token).toStartWith("hub_enc_");
  const whole = await client.execute(toToolId(seen, "whisper"), { password: token });
  expect(whole).toMatchObject({ isError: false, value: { length: 10, said: token } });

  const last = token.at(-2);
  const altered = `${token.slice(0, -2)}${last === "A" ? "B" : "A"}${token.slice(-1)}`;
  const answer = await client.execute(toToolId(seen, "whisper"), { password: altered });
  expect(answer).toMatchObject({ isError: true, value: { code: "token_invalid" } });
  expect(answer.value.error).toContain("call the tool hub_encrypt and follow its message");
  expect(readLastRun(hub.dataDir)).toMatchObject({ status: "denied", error_code: "token_invalid" });
});

describe("rate_limited", () => {
  test("keeps a user from more than 32 calls at once where no admin says otherwise", async () => {
    const env = { FIXTURE_SECRET: secret };
    await using limited = await startHub({ isHere: true, main, env, hasCallLimits: true });
    const row = ["row", "add", "fixture", "--label", "Waiting", "--json"];
    const added = await limited.cli(...row, "--secret-env", "secret=FIXTURE_SECRET");
    const { id } = added.json<{ id: string }>();
    const { token } = await limited.addUser("eager@example.com", { admin: true });
    await using eager = await connectHttp(limited.url, token);
    await using other = await connectHttp(limited.url, limited.adminToken());
    const abort = new AbortController();
    let started = 0;
    const onprogress = () => {
      started += 1;
    };
    const options = { signal: abort.signal, onprogress };
    const waiting = Array.from({ length: 32 }, () =>
      eager.execute(toToolId(id, "wait"), {}, options).catch(String),
    );
    await waitFor(() => started === 32);
    expect(await eager.call("hub_list")).toMatchObject({ value: { code: "rate_limited" } });
    expect((await other.call("hub_list")).isError).toBeFalse();
    // The admin may say otherwise while the hub runs, and that is obeyed at once.
    await limited.cli("setting", "set", "HUB_USER_CALLS_AT_ONCE", "33");
    expect((await eager.call("hub_list")).isError).toBeFalse();
    abort.abort("enough");
    await Promise.all(waiting);
  });

  test("tells who called too often when to come back, and no other user", async () => {
    await using limited = await startHub({ isHere: true, env: { HUB_USER_CALLS_PER_MINUTE: "2" } });
    await using busy = await connectHttp(limited.url, limited.adminToken());
    for (let call = 0; call < 2; call += 1) {
      expect((await busy.call("hub_list")).isError).toBeFalse();
    }
    expect(await busy.call("hub_list")).toMatchObject({
      isError: true,
      value: { code: "rate_limited", retry_after_s: expect.any(Number) },
    });
    expect(readLastRun(limited.dataDir)).toMatchObject({
      operation_key: "hub_list",
      status: "denied",
      error_code: "rate_limited",
    });
    const { token } = await limited.addUser("calm@example.com");
    await using calm = await connectHttp(limited.url, token);
    expect((await calm.call("hub_list")).isError).toBeFalse();
  });

  test("keeps a row from more calls at once than it is there for", async () => {
    await using limited = await startHub({
      isHere: true,
      main,
      env: { HUB_ROW_CALLS_AT_ONCE: "1", FIXTURE_SECRET: secret },
    });
    const row = ["row", "add", "fixture", "--label", "One by one", "--json"];
    const added = await limited.cli(...row, "--secret-env", "secret=FIXTURE_SECRET");
    const { id } = added.json<{ id: string }>();
    await using one = await connectHttp(limited.url, limited.adminToken());
    const [started, abort] = [Promise.withResolvers<void>(), new AbortController()];
    const options = { signal: abort.signal, onprogress: () => started.resolve() };
    const first = one.execute(toToolId(id, "wait"), {}, options).catch(String);
    await started.promise;

    const greeting = () => one.execute(toToolId(id, "greet"), { name: "Ada" });
    expect(await greeting()).toMatchObject({ isError: true, value: { code: "rate_limited" } });
    abort.abort("enough");
    await first;
    await waitFor(async () => !(await greeting()).isError);
  });

  nightlyTest(
    "holds for calls of a user at once and calls to a row a minute, too, each on record as denied",
    async () => {
      const limits = { HUB_USER_CALLS_AT_ONCE: "1", HUB_ROW_CALLS_PER_MINUTE: "1" };
      const env = { ...limits, FIXTURE_SECRET: secret };
      await using limited = await startHub({ isHere: true, main, env });
      const row = ["row", "add", "fixture", "--label", "Rarely", "--json"];
      const added = await limited.cli(...row, "--secret-env", "secret=FIXTURE_SECRET");
      const { id } = added.json<{ id: string }>();
      await using one = await connectHttp(limited.url, limited.adminToken());
      const [started, abort] = [Promise.withResolvers<void>(), new AbortController()];
      const options = { signal: abort.signal, onprogress: () => started.resolve() };
      const first = one.execute(toToolId(id, "wait"), {}, options).catch(String);
      await started.promise;
      const denied = { status: "denied", error_code: "rate_limited", response: null };

      const listed = await one.call("hub_list");
      expect(listed).toMatchObject({ isError: true, value: { code: "rate_limited" } });
      expect(listed.value.error).toStartWith("You have 1 running calls");
      expect(readLastRun(limited.dataDir)).toMatchObject({ ...denied, operation_key: "hub_list" });
      abort.abort("enough");
      await first;
      await waitFor(() => readAudit(limited.dataDir).every((run) => run.status !== "running"));

      const greeted = await waitFor(async () => {
        const answer = await one.execute(toToolId(id, "greet"), { name: "Ada" });
        return !answer.value.error?.startsWith("You have") && answer;
      });
      expect(greeted).toMatchObject({ isError: true, value: { code: "rate_limited" } });
      expect(greeted.value.error).toStartWith(
        "The callers of this row have used all 1 calls per minute",
      );
      expect(readLastRun(limited.dataDir)).toMatchObject({ ...denied, row_label: "Rarely" });
    },
  );
});

test.each(["overrun", "deaf"])("timeout ends an operation that takes too long: %s", async (op) => {
  const answer = await client.execute(toToolId(seen, op));
  expect(answer).toMatchObject({ isError: true, value: { code: "timeout" } });
  expect(readLastRun(hub.dataDir)).toMatchObject({ status: "error", error_code: "timeout" });
});

test("cancelled: a client's cancel ends the operation, and its run is on record", async () => {
  const abort = new AbortController();
  const call = client.execute(
    toToolId(seen, "wait"),
    {},
    { signal: abort.signal, onprogress: () => abort.abort("changed my mind") },
  );
  await expect(call).rejects.toThrow("changed my mind");
  const run = await waitFor(() =>
    readAudit(hub.dataDir).find((row) => row.operation_key === "wait" && row.ended_at !== null),
  );
  expect(run).toMatchObject({ status: "cancelled", error_code: "cancelled" });
});

test("upstream_error carries the outside system's status and words, its secrets masked", async () => {
  const answer = await client.execute(toToolId(seen, "refuse"));
  expect(answer).toMatchObject({
    isError: true,
    value: { code: "upstream_error", http_status: 503 },
  });
  expect(answer.value.error).toMatch(/^The host answered 503 to hub_enc_[\w-]+\.$/);
  expect(answer.text).not.toContain(secret);
  expect(readLastRun(hub.dataDir)).toMatchObject({ status: "error", http_status: 503 });
});

test("a failure of the outside is one line in the log, without a stack and with its secrets masked", async () => {
  await using admin = await connectHttp(hub.url, hub.adminToken());
  await admin.execute(toToolId(seen, "refuse"));
  await admin.execute(toToolId(seen, "overrun"));
  const { value } = await admin.call("hub_execute", {
    tool_id: await addRefusedRow(),
    params: { path: "/" },
  });
  expect(value.code).toBe("upstream_error");
  const readLines = () =>
    hub
      .stderr()
      .split("\n")
      .filter((line) => line.includes('"A call failed"'))
      .map((line) => JSON.parse(line));
  const find = (code: string, operation: string) =>
    waitFor(() => readLines().find((line) => line.code === code && line.operation === operation));
  const lines = [
    await find("upstream_error", "refuse"),
    await find("timeout", "overrun"),
    await find("upstream_error", "get"),
  ];
  expect(lines[0].reason).toMatch(/^The host answered 503 to hub_enc_[\w-]+\.$/);
  expect(lines[2].reason).toContain("127.0.0.1");
  for (const line of lines) {
    expect(Object.keys(line).sort()).toEqual([
      "code",
      "level",
      "msg",
      "operation",
      "reason",
      "time",
    ]);
    expect(JSON.stringify(line)).not.toMatch(/\bat .*\.ts:\d|node_modules/);
  }
  expect(hub.stderr()).not.toContain(secret);
});

/** An `http` row whose host takes no connection. */
async function addRefusedRow(): Promise<string> {
  const address = "base_url=http://127.0.0.1:1";
  const args = ["row", "add", "http", "--label", "Gone", "--set", address, "--json"];
  return `conn:${(await hub.cli(...args)).json<{ id: string }>().id}/get`;
}

test("internal says nothing of what went wrong inside, and the log has it masked", async () => {
  const answer = await client.execute(toToolId(seen, "crash"));
  expect(answer).toMatchObject({ isError: true, value: { code: "internal" } });
  expect(answer.text).not.toContain("undefined is not a function");
  await waitFor(() => hub.stderr().includes("undefined is not a function"));
  expect(hub.stderr()).not.toContain(secret);
  expect(readLastRun(hub.dataDir)).toMatchObject({ status: "error", error_code: "internal" });
});

describe("what an admin has switched off", () => {
  test("operation_disabled, in hub_get too, until the operation is enabled again", async () => {
    const rowId = await addRow("Without greeting", "lab", secret);
    await hub.cli("op", "disable", rowId, "greet");
    expect(await codeOf(rowId, "greet")).toBe("operation_disabled");
    expect(await client.call("hub_get", { tool_id: toToolId(rowId, "greet") })).toMatchObject({
      isError: true,
      value: { code: "operation_disabled" },
    });
    expect(await codeOf(rowId, "mask")).toBe("success");
    await hub.cli("op", "enable", rowId, "greet");
    expect(await codeOf(rowId, "greet")).toBe("success");
  });

  test("connector_disabled by the row, until it is enabled again", async () => {
    const rowId = await addRow("Switched off", "lab", secret);
    await hub.cli("row", "disable", rowId);
    expect(await codeOf(rowId, "greet")).toBe("connector_disabled");
    expect(await codeOf(seen, "greet")).toBe("success");
    await hub.cli("row", "enable", rowId);
    expect(await codeOf(rowId, "greet")).toBe("success");
  });

  test("connector_disabled by the type, for all of its rows", async () => {
    {
      await using _ = await disableType();
      expect(await codeOf(seen, "greet")).toBe("connector_disabled");
      const { value } = await client.call("hub_list");
      expect(value.tools.map((tool: { connector: string }) => tool.connector)).not.toContain(
        "Fixture",
      );
    }
    expect(await codeOf(seen, "greet")).toBe("success");
  });

  test("what is hidden stays not_found when it is switched off", async () => {
    const rowId = await addRow("Hidden and off", "vault", secret);
    await hub.cli("row", "disable", rowId);
    expect(await codeOf(rowId, "greet")).toBe("not_found");
  });

  async function codeOf(rowId: string, operation: string): Promise<string> {
    const answer = await client.execute(toToolId(rowId, operation), paramsOf[operation]);
    return answer.isError ? answer.value.code : "success";
  }

  const paramsOf: Record<string, Record<string, unknown>> = { greet: { name: "Ada" } };

  async function disableType(): Promise<AsyncDisposable> {
    await hub.cli("type", "disable", "fixture");
    return {
      [Symbol.asyncDispose]: async () => void (await hub.cli("type", "enable", "fixture")),
    };
  }
});

describe("protocol faults are JSON-RPC errors", () => {
  const post = async (message: unknown) => {
    const response = await postRpc(hub.url, ada.token, message);
    return { status: response.status, body: await response.json() };
  };

  test.each([
    ["text that is not JSON", "{", { status: 400, id: null, code: -32700 }],
    ["a batch", [toToolCall("hub_list", {})], { status: 400, id: null, code: -32600 }],
    ["an unknown method", toRequest("nope"), { status: 200, id: 1, code: -32601 }],
    ["an unknown tool", toToolCall("hub_lisst", {}), { status: 200, id: 1, code: -32602 }],
    ["a tool without a name", toRequest("tools/call"), { status: 200, id: 1, code: -32602 }],
    [
      "arguments that are a list",
      { ...toRequest("tools/call"), params: { name: "hub_get", arguments: [7] } },
      { status: 200, id: 1, code: -32602 },
    ],
  ])("%s", async (_, message, { status, id, code }) => {
    const answer = await post(message);
    expect(answer).toMatchObject({ status, body: { jsonrpc: "2.0", id, error: { code } } });
  });

  test("but wrong arguments of a tool are a result, for the model to correct", async () => {
    const { isError, value } = await client.call("hub_get", { tool_id: 7 });
    expect(isError).toBe(true);
    expect(value).toMatchObject({
      code: "invalid_params",
      issues: [{ path: "tool_id", message: '"tool_id" must be a string.' }],
    });
  });

  test("an unknown tool is on record", async () => {
    await postRpc(hub.url, ada.token, toToolCall("hub_lisst", {}));
    expect(readLastRun(hub.dataDir)).toMatchObject({
      connector_id: null,
      operation_key: "hub_lisst",
      status: "denied",
    });
  });

  test.each([
    ["no token", null],
    ["a token that was never given out", `hub_pat_${"0".repeat(32)}`],
    ["a token of an unknown kind", "sk-0123456789"],
  ])("%s is refused with 401 and how to authenticate, and leaves no run", async (_, token) => {
    const before = readAudit(hub.dataDir).length;
    const response = await postRpc(hub.url, token, toToolCall("hub_list", {}));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toStartWith("Bearer ");
    expect(readAudit(hub.dataDir)).toHaveLength(before);
  });

  test("a page of another origin is refused with 403", async () => {
    const headers = { origin: "https://evil.example" };
    const response = await postRpc(hub.url, ada.token, toToolCall("hub_list", {}), headers);
    expect(response.status).toBe(403);
  });

  test("a host name that is not the hub's is refused with 403, against DNS rebinding", async () => {
    const headers = { host: "evil.example" };
    const response = await postRpc(hub.url, ada.token, toToolCall("hub_list", {}), headers);
    expect(response.status).toBe(403);
  });
});

function toRequest(method: string) {
  return { jsonrpc: "2.0", id: 1, method };
}
