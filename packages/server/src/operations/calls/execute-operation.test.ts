import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, UpstreamError, wick } from "@hub/connector";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { HubError } from "../../errors.ts";
import { openValue, sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { updateRow } from "../../store/rows/rows-table.ts";
import { setOperationState, setTypeState } from "../../store/rows/switches.ts";
import type { ProgressReport, WidgetCall } from "../operations.ts";
import { openTestOperations, testUserId, toTestCall } from "../testing/open-test-operations.ts";

const secret = 'p@9fK2xQ7vLm4RzW8pss"word\\<&>';
const started = new Map<string, () => void>();

class Unwritable {
  toJSON(): never {
    throw new Error("The list is gone.");
  }
}

const connector = defineConnector({
  key: "fixture",
  name: "Fixture",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: { Token: wick("secret;required"), Region: wick("default=eu") },
  operations: {
    echo: {
      description: "Gives back what it got.",
      input: { Text: wick(""), Count: wick.int(""), Password: wick("secret"), Data: wick.json("") },
      run: ({ config, params }) => ({ params, region: config.Region, token: config.Token }),
    },
    report: {
      description: "Reports progress.",
      run({ config, progress, mask }) {
        mask("learned on the way");
        progress(1, 2, `half with ${config.Token}`);
        return "learned on the way: done";
      },
    },
    refuse: {
      description: "Fails as the outside system does.",
      run: ({ config }) => {
        throw new UpstreamError(`403 for ${config.Token}`, { httpStatus: 403 });
      },
    },
    crash: {
      description: "Has a fault.",
      run: ({ config }) => {
        throw new TypeError(`undefined is not a function near ${config.Token}`, {
          cause: new Error(`while using ${config.Token}`),
        });
      },
    },
    hang: {
      description: "Never answers and ignores its signal.",
      timeoutMs: 30,
      run: () => new Promise(() => {}),
    },
    wait: {
      description: "Waits for its signal.",
      run: ({ signal }) => {
        started.get("wait")?.();
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("stopped")));
        });
      },
    },
    big: {
      description: "Answers too much.",
      run: ({ config }) => ({
        items: Array.from({ length: 999 }, (_, id) => ({ id, t: config.Token })),
      }),
    },
    unmask: {
      description: "Learns that a param is a secret.",
      input: { Text: wick("required") },
      run({ params, mask }) {
        mask(params.Text);
        return { done: true };
      },
    },
    spoiled: {
      description: "Answers many values that cannot be written.",
      run: () => Array.from({ length: 20_000 }, () => new Unwritable()),
    },
    save: {
      description: "Answers values for the row's fields.",
      run: () => ({ fields: { token: "made by the operation", region: "us" } }),
    },
    widget: { description: "Behind a widget.", configOnly: true, run: () => "widget" },
    upkeep: { description: "Maintenance.", adminOnly: true, run: () => "upkeep" },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;

beforeAll(async () => {
  hub = await openTestOperations(connector);
  rowId = await hub.addRow({ tags: ["team"], secrets: { token: secret } });
});
afterAll(() => hub.close());

const call = (
  operation: string,
  params: Record<string, unknown> = {},
  ctx = toTestCall(["team"]),
) => hub.operations.calls.call(ctx, { toolId: `conn:${rowId}/${operation}`, params });

async function failureOf(run: Promise<unknown>): Promise<HubError> {
  const failure = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (failure instanceof HubError) return failure;
  throw new Error(`It did not fail with a HubError, but: ${String(failure)}`);
}

async function lastRun() {
  const [run] = await hub.listRuns();
  if (run === undefined) throw new Error("Nothing was recorded.");
  return run;
}

describe("a successful call", () => {
  test("A call returns the operation's result, with the row's secret as a token of the caller", async () => {
    const { value, text } = await call("echo", { text: "hi", count: 3 });
    expect(text).toBe(JSON.stringify(value));
    const { token, ...rest } = value as { token: string };
    expect(rest).toEqual({ params: { Text: "hi", Count: 3 }, region: "eu" } as never);
    expect(openValue(hub.ring.current(), { userId: testUserId, rowId }, token)).toBe(secret);
  });

  test("A call is recorded with its caller, operation, origin and duration", async () => {
    await call("echo", { text: "recorded" });
    expect(await lastRun()).toMatchObject({
      connectorId: rowId,
      rowLabel: "Row",
      operationKey: "echo",
      userId: testUserId,
      tokenId: "token-1",
      source: "mcp",
      status: "success",
      errorCode: null,
      ipAddress: "127.0.0.1",
      userAgent: "test",
      request: '{"text":"recorded"}',
      requestCut: false,
      causeKind: "client",
      causeId: null,
    });
  });

  test("Tokens in params are opened at any depth, and stored sealed", async () => {
    const token = sealValue(
      hub.ring.current(),
      { userId: testUserId, rowId: null },
      "inner secret",
    );
    const params = { text: `Bearer ${token}`, data: [{ deep: token }, "plain"] };
    const { value } = await call("echo", params);
    // A value that arrived as a token leaves as the same token.
    expect(value).toMatchObject({
      params: { Text: `Bearer ${token}`, Data: [{ deep: token }, "plain"] },
    });
    expect((await lastRun()).request).toBe(JSON.stringify(params));
  });

  test("A model cannot guess an encrypted value by typing guesses into a secret input (attack)", async () => {
    const owner = { userId: testUserId, rowId: null };
    const token = sealValue(hub.ring.current(), owner, "inner secret");
    for (const password of ["key=i", "key=~"]) {
      const { value } = await call("echo", { text: `key=${token}`, password });
      expect(value).toMatchObject({ params: { Text: `key=${token}` } });
    }
  });

  test("A plaintext in a secret input is in neither the reply nor the record (trap 2)", async () => {
    const { text } = await call("echo", { password: "typed in plain", text: "typed in plain!" });
    expect(text).not.toContain("typed in plain");
    const run = await lastRun();
    expect(run.request).not.toContain("typed in plain");
    expect(run.response).not.toContain("typed in plain");
  });

  test("Integers beyond 2^53 keep all their digits (trap 17)", async () => {
    const count = JSON.rawJSON("9007199254740993");
    const { text } = await call("echo", { count, data: { n: count } });
    expect(text).toContain('"Count":9007199254740993');
    expect(text).toContain('"n":9007199254740993');
  });

  test("Progress messages and values that the connector names during the call are sealed (traps 4 and 5)", async () => {
    const reports: ProgressReport[] = [];
    const { value } = await call("report", {}, toTestCall(["team"], { reports }));
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({ done: 1, total: 2 });
    expect(reports[0]?.message).toMatch(/^half with hub_enc_/);
    expect(value).toMatch(/^hub_enc_[\w-]+: done$/);
  });

  test("The stored request is sealed even if its secret is named only during the call", async () => {
    await call("unmask", { text: "found out later" });
    const run = await lastRun();
    expect(run).toMatchObject({ status: "success", response: '{"done":true}' });
    expect(run.request).toMatch(/^\{"text":"hub_enc_[\w-]+"\}$/);
  });

  test("A large result is cut by its structure, with a note, and never inside a token (trap 20)", async () => {
    const { value, text } = await call("big");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    const { items, _truncated } = value as { items: Array<{ t: string }>; _truncated: object };
    expect(_truncated).toMatchObject({ cuts: [{ path: "items", kept: items.length, of: 999 }] });
    for (const { t } of items)
      expect(openValue(hub.ring.current(), { userId: testUserId, rowId }, t)).toBe(secret);
  });
});

describe("a refused call", () => {
  test("A row without a shared tag gets the same bytes as a row that does not exist", async () => {
    const stranger = toTestCall(["other"]);
    const hidden = await failureOf(call("echo", {}, stranger));
    const absent = await failureOf(
      hub.operations.calls.call(stranger, {
        toolId: `conn:${crypto.randomUUID()}/echo`,
        params: {},
      }),
    );
    expect([hidden.code, hidden.message, hidden.detail]).toEqual([
      absent.code,
      absent.message,
      absent.detail,
    ]);
    expect(hidden.code).toBe("not_found");
    expect(await hub.operations.catalogue.list(stranger.caller)).toEqual([]);
    const asked = await failureOf(
      hub.operations.catalogue.get(stranger.caller, `conn:${rowId}/echo`),
    );
    expect(asked.message).toBe(hidden.message);
  });

  test("A plugin that this server does not have yet is unavailable, but only to users who see the row", async () => {
    const key = "awaited";
    const toolId = `conn:${await hub.addRow({ tags: ["team"], connectorKey: key })}/echo`;
    hub.registry.setAwaited(new Set([key]));
    const [member, stranger] = [toTestCall(["team"]), toTestCall(["other"])];
    const codes = [];
    for (const ctx of [member, stranger]) {
      const called = await failureOf(hub.operations.calls.call(ctx, { toolId, params: {} }));
      const asked = await failureOf(hub.operations.catalogue.get(ctx.caller, toolId));
      codes.push([called.code, asked.code]);
    }
    hub.registry.setAwaited(new Set());
    const removed = await failureOf(hub.operations.calls.call(member, { toolId, params: {} }));
    expect([...codes, removed.code]).toEqual([
      ["plugin_unavailable", "plugin_unavailable"],
      ["not_found", "not_found"],
      "not_found",
    ]);
  });

  test("A hidden row is recorded like a missing one, because users read their own records", async () => {
    const stranger = toTestCall(["other"]);
    const records: unknown[] = [];
    for (const id of [rowId, crypto.randomUUID()]) {
      const request = { toolId: `conn:${id}/echo`, params: { text: "guess" } };
      await failureOf(hub.operations.calls.call(stranger, request));
      const { rowLabel, request: kept, requestCut, errorMsg, status } = await lastRun();
      records.push({ rowLabel, kept, requestCut, errorMsg, status });
    }
    expect(records[0]).toEqual(records[1]);
    expect(records[0]).toMatchObject({ rowLabel: null, status: "denied" });
  });

  test("Maintenance operations are for admins only, also in tests", async () => {
    const request = { toolId: `conn:${rowId}/upkeep`, params: {} };
    const admin = toTestCall([], { caller: { role: "admin" } });
    expect((await hub.operations.rows.test(admin, request)).value).toBe("upkeep");
    await updateRow(hub.store.db, rowId, { tests: "tag" }, Date.now());
    const failure = await failureOf(hub.operations.rows.test(toTestCall(["team"]), request));
    expect(failure.code).toBe("not_found");
    await updateRow(hub.store.db, rowId, { tests: "admins" }, Date.now());
  });

  test("Widget and maintenance operations are never offered, not even to admins", async () => {
    const admin = toTestCall([], { caller: { role: "admin" } });
    for (const operation of ["widget", "upkeep", "nothing"]) {
      expect((await failureOf(call(operation, {}, admin))).code).toBe("not_found");
    }
    const names = (await hub.operations.catalogue.list(admin.caller)).map(({ tool_id }) => tool_id);
    expect(names.some((id) => /widget|upkeep/.test(id))).toBe(false);
    const tested = await hub.operations.rows.test(admin, {
      toolId: `conn:${rowId}/widget`,
      params: {},
    });
    expect(tested.value).toBe("widget");
  });

  test("The next call sees that an operation, a row or a connector type is disabled", async () => {
    const { db } = hub.store;
    const codes: string[] = [];
    await setOperationState(db, rowId, "echo", false, Date.now());
    codes.push((await failureOf(call("echo"))).code);
    await setOperationState(db, rowId, "echo", true, Date.now());
    await updateRow(db, rowId, { disabled: true }, Date.now());
    codes.push((await failureOf(call("echo"))).code);
    await updateRow(db, rowId, { disabled: false }, Date.now());
    await setTypeState(db, "fixture", true);
    codes.push((await failureOf(call("echo"))).code);
    expect(await hub.operations.catalogue.list(toTestCall(["team"]).caller)).toEqual([]);
    await setTypeState(db, "fixture", false);
    await call("echo");
    expect(codes).toEqual(["operation_disabled", "connector_disabled", "connector_disabled"]);
  });

  test("A call to a disabled row is recorded without the row's secrets, whether they come from the row or from the params", async () => {
    const { db } = hub.store;
    await updateRow(db, rowId, { disabled: true }, Date.now());
    const params = { text: `it was ${secret}`, password: "typed in plain" };
    expect((await failureOf(call("echo", params))).code).toBe("connector_disabled");
    await updateRow(db, rowId, { disabled: false }, Date.now());
    const run = await lastRun();
    const seal = (text: string, row: string | null) =>
      sealValue(hub.ring.current(), { userId: testUserId, rowId: row }, text);
    expect(JSON.parse(run.request ?? "")).toEqual({
      text: `it was ${seal(secret, rowId)}`,
      password: seal("typed in plain", null),
    });
  });

  test("A call to an incomplete row names the missing required fields", async () => {
    const unset = await hub.addRow({ tags: ["team"], label: "Unset" });
    const failure = await failureOf(
      hub.operations.calls.call(toTestCall(["team"]), { toolId: `conn:${unset}/echo`, params: {} }),
    );
    expect(failure.code).toBe("needs_setup");
    expect(failure.detail).toEqual({ missing: ["token"] });
    // Operations of settings widgets help to find the missing values.
    const admin = toTestCall([], { caller: { role: "admin" } });
    const request = { toolId: `conn:${unset}/widget`, params: {} };
    expect((await hub.operations.rows.test(admin, request)).value).toBe("widget");
  });

  test("A row with more than 100 secrets refuses its calls and says what to do", async () => {
    const names = Array.from({ length: 101 }, (_, n) => `Key${n}`);
    const many = defineConnector({
      key: "many",
      name: "Many",
      icon: "box",
      tier: "builtin",
      description: "Has many keys.",
      config: Object.fromEntries(names.map((name) => [name, wick("secret")])),
      operations: { read: { description: "Reads.", run: () => ({}) } },
    });
    const { configFields } = createLocalConnector(many, () => ({}));
    const other = await openTestOperations(many);
    const read = async (count: number) => {
      const filled = configFields.slice(0, count).map(({ key }) => [key, `value of ${key}`]);
      const id = await other.addRow({ tags: ["team"], secrets: Object.fromEntries(filled) });
      const request = { toolId: `conn:${id}/read`, params: {} };
      return await other.operations.calls.call(toTestCall(["team"]), request);
    };
    try {
      expect((await read(100)).value).toEqual({});
      const failure = await failureOf(read(101));
      expect(failure.code).toBe("needs_setup");
      expect(failure.message).toContain("has 101 secret values, and a call can use at most 100");
    } finally {
      await other.close();
    }
  });

  test("A call names every invalid param and does not start the operation", async () => {
    const failure = await failureOf(call("echo", { count: "many", txet: "x" }));
    expect(failure.code).toBe("invalid_params");
    expect(failure.detail.issues).toHaveLength(2);
    expect(failure.message).toContain("text");
    expect((await lastRun()).status).toBe("error");
  });

  test("A token of another user is refused, and the call is recorded as denied", async () => {
    const stranger = { userId: crypto.randomUUID(), rowId: null };
    const foreign = sealValue(hub.ring.current(), stranger, "theirs");
    const failure = await failureOf(call("echo", { text: `x ${foreign}` }));
    expect(failure.code).toBe("token_invalid");
    expect(await lastRun()).toMatchObject({ status: "denied", errorCode: "token_invalid" });
  });

  test("The value of a misspelt param is not stored, because the name may be meant for a secret field", async () => {
    await failureOf(call("echo", { text: "kept", pasword: "oops" }));
    const { request } = await lastRun();
    expect(request).toContain('"text":"kept"');
    expect(request).not.toContain("oops");
  });

  test("The params of a tool that does not exist are not stored", async () => {
    await failureOf(
      hub.operations.calls.call(toTestCall(), { toolId: "nonsense", params: { password: "oops" } }),
    );
    const run = await lastRun();
    expect(run).toMatchObject({ connectorId: null, operationKey: "hub_execute", status: "denied" });
    expect(run.requestCut).toBeTrue();
    expect(run.request).not.toContain("oops");
  });
});

describe("the fields in an answer to a widget", () => {
  const made = "made by the operation";
  const save = async (path: "test" | "execute") => {
    const taken: unknown[] = [];
    let sealed = "";
    const takeFields: WidgetCall["takeFields"] = (fields, mask) => {
      taken.push(fields);
      sealed = mask.sealText(`name with ${made}`);
    };
    const widget = { inputs: { unknown: "x" }, takeFields };
    const admin = toTestCall(["team"], { caller: { role: "admin" } });
    const request = { toolId: `conn:${rowId}/save`, params: {}, widget };
    const { rows, calls } = hub.operations;
    const run = path === "test" ? rows.test : calls.call;
    const { text } = await run(admin, request);
    return { text, taken, sealed };
  };

  test("A widget gets the fields in plaintext; a secret among them is sealed in reply and record", async () => {
    const { text, taken, sealed } = await save("test");
    expect(taken).toEqual([{ token: made, region: "us" }]);
    expect(sealed).toMatch(/^name with hub_enc_[\w-]+$/);
    expect(text).toMatch(/^\{"fields":\{"token":"hub_enc_[\w-]+","region":"us"\}\}$/);
    expect(JSON.stringify(await lastRun())).not.toContain(made);
  });

  test("A client's call has no widget, so its answer sets no fields", async () => {
    expect((await save("execute")).taken).toEqual([]);
    expect(await lastRun()).toMatchObject({ request: "{}", requestCut: false });
  });
});

describe("a failing call", () => {
  test("The outside system's message and status are passed on, sealed", async () => {
    const failure = await failureOf(call("refuse"));
    expect(failure.code).toBe("upstream_error");
    expect(failure.message).toMatch(/^403 for hub_enc_/);
    expect(failure.detail).toEqual({ http_status: 403 });
    const run = await lastRun();
    expect(run).toMatchObject({ status: "error", httpStatus: 403 });
    expect(run.errorMsg).toMatch(/^403 for hub_enc_/);
    expect(hub.logged.at(-1)?.fields).toEqual({
      code: "upstream_error",
      operation: "refuse",
      reason: failure.message,
    });
  });

  test("An error inside the connector's code goes to the log only, without secrets (trap 4)", async () => {
    const failure = await failureOf(call("crash"));
    expect(failure.code).toBe("internal");
    expect(failure.message).not.toContain("undefined");
    const logged = JSON.stringify(hub.logged.at(-1)?.fields);
    expect(logged).toContain("TypeError: undefined is not a function near hub_enc_");
    expect(logged).toContain("while using hub_enc_");
    expect(logged).not.toContain(JSON.stringify(secret).slice(1, -1));
  });

  test("A large result that cannot be written fails like the connector", async () => {
    const failure = await failureOf(call("spoiled"));
    expect([failure.code, failure.message]).toEqual(["upstream_error", "The list is gone."]);
  });

  test("A call ends at its time limit, even if the connector never returns", async () => {
    expect((await failureOf(call("hang"))).code).toBe("timeout");
    expect((await lastRun()).status).toBe("error");
  });

  test("A call that its client cancels fails and is recorded as cancelled (trap 16)", async () => {
    const cancel = new AbortController();
    const hasStarted = new Promise<void>((resolve) => started.set("wait", resolve));
    const failed = failureOf(call("wait", {}, toTestCall(["team"], { signal: cancel.signal })));
    await hasStarted;
    expect((await lastRun()).status).toBe("running");
    cancel.abort();
    expect((await failed).code).toBe("cancelled");
    expect((await lastRun()).status).toBe("cancelled");
  });

  test("A cancelled call reports the known reason", async () => {
    const cancel = new AbortController();
    const hasStarted = new Promise<void>((resolve) => started.set("wait", resolve));
    const failed = failureOf(call("wait", {}, toTestCall(["team"], { signal: cancel.signal })));
    await hasStarted;
    cancel.abort(new HubError("cancelled", "The hub is stopping."));
    expect((await failed).message).toBe("The hub is stopping.");
    expect(await lastRun()).toMatchObject({
      status: "cancelled",
      errorMsg: "The hub is stopping.",
    });
  });
});
