import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, UpstreamError, wick } from "@hub/connector";
import { hubTokenKinds } from "@hub/contract/hub-token-kinds.ts";
import type { Caller } from "../../caller.ts";
import { ProgramFailure } from "../../connectors/program-failure.ts";
import { HubError, toHubError } from "../../errors.ts";
import { someOf } from "../../lib/testing/amount.ts";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { insertRow } from "../../store/rows/rows-table.ts";
import { newRow } from "../../store/test-data.ts";
import type { CallTask } from "../calls/call-task.ts";
import type { ProgressReport } from "../operations.ts";
import { openTestOperations, testUserId, toTestCall } from "../testing/open-test-operations.ts";
import { type RecordDeps, recordCall } from "./record-call.ts";

const secret = "s3cr3t-of-the-row-9fK2xQ7vLm4R";

/** Any value where the types require text, as plain JavaScript may pass it. */
const asText = (value: unknown) => value as string;

let reportLater = () => {};

/** Texts that each escape other characters of the secret. */
function listVariants(text: string, count: number): string[] {
  const toPercent = (char: string) => `%${char.charCodeAt(0).toString(16)}`;
  return Array.from({ length: count }, (_, at) =>
    [...text].map((char, bit) => ((at >> bit) & 1 ? toPercent(char) : char)).join(""),
  );
}

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

const connector = defineConnector({
  key: "careless",
  name: "Careless",
  icon: "bomb",
  tier: "builtin",
  description: "Violates all its types.",
  config: { Token: wick("secret;required"), Headers: wick("kvlist=name|value") },
  operations: {
    cyclic_body: {
      description: "Fails with a body that cannot be written as JSON.",
      run() {
        throw new UpstreamError("The host answered 502.", { httpStatus: 502, body: cyclic });
      },
    },
    odd_status: {
      description: "Fails with an invalid status.",
      run() {
        throw new UpstreamError("The host answered.", { httpStatus: 502.5 });
      },
    },
    program_ends: {
      description: "Fails as the program of a row does.",
      run({ config }) {
        throw new ProgramFailure("The program has ended.", `cannot use ${config.Token}\nbye`);
      },
    },
    odd_throw: {
      description: "Throws a value that cannot be converted to text.",
      run() {
        throw Object.create(null);
      },
    },
    progress: {
      description: "Reports progress with an object as its message.",
      run({ config, progress }) {
        progress(asText(config.Token) as never, 2, "a secret for a number");
        progress(1, asText(config.Token) as never, asText({ token: config.Token }));
        return null;
      },
    },
    log: {
      description: "Logs with the arguments of pino: the object first.",
      run({ config, log }) {
        log.info(asText({ token: config.Token }), asText("calling") as never);
        log.warn("with a cycle", cyclic);
        return "logged";
      },
    },
    long_failure: {
      description: "Fails with a long message that ends with its credential.",
      input: { Before: wick.int("required") },
      run({ config, params }) {
        throw new UpstreamError(`${"x".repeat(Number(params.Before))}${config.Token} and more`);
      },
    },
    repeat: {
      description: "Returns a secret inside a text.",
      input: { Password: wick("secret"), Note: wick("") },
      run: ({ params }) => ({ said: `got ${params.Password}`, note: params.Note }),
    },
    late_progress: {
      description: "Reports progress after it has returned.",
      run({ progress }) {
        reportLater = () => progress(2, 2, "too late");
        progress(1, 2, "in time");
        return null;
      },
    },
    scribble: {
      description: "Writes into its own configuration.",
      run({ config }) {
        const headers = config.Headers ?? [];
        headers.push({ name: "x-caller", value: "the one before" });
        return { headers };
      },
    },
    fail_with: {
      description: "Fails with the row's secret somewhere in a long text.",
      input: { Shift: wick.int("required") },
      async run({ config, params, progress, log }) {
        const text = `${"x".repeat(Number(params.Shift))}${config.Token}${"y".repeat(100_000)}`;
        progress(1, 2, text);
        log.warn(text, { text });
        throw new UpstreamError(text, { httpStatus: 500, body: { text } });
      },
    },
    answer_variants: {
      description: "Answers with the row's secret, escaped in a thousand ways.",
      run: ({ config }) => listVariants(config.Token, 1000),
    },
    fail_variants: {
      description: "Fails with the row's secret, escaped in a thousand ways.",
      run({ config }) {
        throw new UpstreamError("All of them.", { body: listVariants(config.Token, 1000) });
      },
    },
    name_file: {
      description: "Fails with the path of a file.",
      input: { Path: wick("required") },
      run({ params }) {
        throw new UpstreamError(`The program cannot open ${params.Path}, so it ended.`);
      },
    },
    keep: {
      description: "Takes a secret.",
      input: { Password: wick("secret") },
      run: () => "kept",
    },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;

beforeAll(async () => {
  hub = await openTestOperations(connector);
  rowId = await hub.addRow({
    tags: ["team"],
    values: { headers: '[{"name":"x-row","value":"the row\'s"}]' },
    secrets: { token: secret },
  });
});
afterAll(() => hub.close());

async function call(
  operation: string,
  params: Record<string, unknown> = {},
  caller: Partial<Caller> = {},
) {
  const reports: ProgressReport[] = [];
  const ctx = toTestCall(["team"], { reports, caller });
  const outcome = await hub.operations.calls
    .call(ctx, { toolId: `conn:${rowId}/${operation}`, params })
    .then(({ value }) => ({ value }), toHubError);
  const [run] = await hub.listRuns();
  if (run === undefined) throw new Error("Nothing was recorded.");
  return { outcome, reports, run };
}

describe("every call is closed, whatever its connector throws", () => {
  test("A body that cannot be JSON is left out; status and message remain", async () => {
    const { outcome, run } = await call("cyclic_body");
    expect(outcome).toMatchObject({
      code: "upstream_error",
      message: "The host answered 502.",
      detail: { http_status: 502, upstream: expect.stringContaining("left out") },
    });
    expect(run).toMatchObject({ status: "error", httpStatus: 502 });
  });

  test("Only admins get what a program wrote last, masked, and only the records of their calls have it", async () => {
    const ofUser = await call("program_ends");
    expect(ofUser.outcome).toMatchObject({ message: "The program has ended.", detail: {} });
    expect(JSON.stringify([ofUser.outcome, ofUser.run])).not.toContain("cannot use");
    const { outcome, run } = await call("program_ends", {}, { role: "admin" });
    const { program_output: output } = (outcome as HubError).detail;
    expect(output).toMatch(/^cannot use hub_enc_[\w-]+\nbye$/);
    expect(run.errorMsg).toMatch(
      /^The program has ended\. Its last lines: cannot use hub_enc_[\w-]+ \/ bye$/,
    );
  });

  test("A status that is not an integer is not stored", async () => {
    const { outcome, run } = await call("odd_status");
    expect(outcome).toMatchObject({ code: "upstream_error", detail: {} });
    expect(run).toMatchObject({ status: "error", httpStatus: null });
  });

  test("A thrown value that cannot be described is reported as an internal error", async () => {
    const { outcome, run } = await call("odd_throw");
    expect(outcome).toMatchObject({ code: "internal" });
    expect(run).toMatchObject({ status: "error", errorCode: "internal" });
  });
});

describe("messages that are not text are sealed too", () => {
  test("A progress message that is not text is sealed", async () => {
    const { reports } = await call("progress");
    expect(reports).toEqual([
      { done: 1, message: expect.stringMatching(/^\{"token":"hub_enc_[\w-]+"\}$/) },
    ]);
  });

  test("A log message that is not text is sealed, and invalid details do not fail the call", async () => {
    const { outcome } = await call("log");
    expect(outcome).toEqual({ value: "logged" });
    const written = hub.logged.slice(-2);
    expect(written[0]?.message).toMatch(/^\{"token":"hub_enc_[\w-]+"\}$/);
    expect(written[1]).toMatchObject({ message: "with a cycle" });
    expect(JSON.stringify(written)).not.toContain(secret);
  });
});

describe("a plaintext in a secret input is recorded as a token, whatever the text around it (trap 2)", () => {
  test.each([
    ["an object", { value: "hunter2-hunter2" }],
    ["an array", ["hunter2-hunter2"]],
    ["text with only the prefix of a token", "a hub_enc_ hunter2-hunter2"],
  ])("In %s, it is recorded as a token", async (_, password) => {
    const { run } = await call("keep", { password });
    expect(run.request).toContain("hub_enc_");
    expect(run.request).not.toContain("hunter2");
  });

  test("A number in a secret input keeps its digits", async () => {
    const { outcome, run } = await call("keep", { password: JSON.rawJSON("9007199254740993") });
    expect(outcome).toEqual({ value: "kept" });
    expect(run.request).toMatch(/^\{"password":"hub_enc_[\w-]+"\}$/);
  });
});

describe("faults of the hub itself are internal errors for clients", () => {
  test("If the key of a row's secret is missing, the failure says who can help, and is recorded", async () => {
    const id = crypto.randomUUID();
    const location = { table: "row_values", row: id, field: "token" };
    const sealed = sealAtRest(createKeyRing([new Uint8Array(32).fill(9)]), location, secret);
    const values = [{ key: "token", value: null, sealed }];
    await insertRow(hub.store.db, newRow({ id, connectorKey: "careless", tags: ["team"], values }));
    const request = { toolId: `conn:${id}/keep`, params: {} };
    const failure = await hub.operations.calls
      .call(toTestCall(["team"]), request)
      .catch(toHubError);
    expect(failure).toMatchObject({
      code: "internal",
      message: expect.stringContaining("An admin can"),
    });
    const [run] = await hub.listRuns();
    expect(run).toMatchObject({ connectorId: id, status: "error", errorCode: "internal" });
  });

  test("If the key file is missing, the message contains no path of the machine", async () => {
    const lost = new HubError("bad_configuration", "The key file /srv/hub/keys.json is gone.");
    const directory = { current: () => Promise.reject(lost) };
    const call = { connectorId: null, rowLabel: null, operationKey: "hub_list", request: {} };
    // The call fails before it uses any other dependency.
    const deps = { directory } as unknown as RecordDeps;
    const failure = await recordCall(deps, toTestCall(), call, async () => null).catch(toHubError);
    expect(failure).toMatchObject({ code: "internal", cause: { cause: lost } });
    expect(JSON.stringify(failure)).not.toContain("/srv");
  });
});

test("A failure names no file of the hub, in reply and record, and other paths stay", async () => {
  const message = "The program cannot open (a path of the hub), so it ended.";
  const own = await call("name_file", { path: `${hub.dataDir}/homes/state.json` });
  expect(own.outcome).toMatchObject({ code: "upstream_error", message });
  expect(own.run.errorMsg).toBe(message);
  const other = await call("name_file", { path: "/repos/acme" });
  expect(other.run.errorMsg).toBe("The program cannot open /repos/acme, so it ended.");
});

describe("a task of the hub itself", () => {
  const executeTask = (run: CallTask["run"]) =>
    hub.operations.records.runTask(toTestCall(), {
      operationKey: "workflow.http",
      name: "request",
      params: {},
      fields: [],
      timeoutMs: 10_000,
      resultBytesMax: 4096,
      run,
    });

  test("A value that the task masks leaves only as a token, in reply and record", async () => {
    const { value } = await executeTask(async ({ mask }) => {
      mask(secret);
      return { said: `Bearer ${secret}`, other: secret.toLowerCase() };
    });
    expect(value).toEqual({
      said: expect.stringMatching(/^Bearer hub_enc_[\w-]+$/),
      other: secret.toLowerCase(),
    });
    const [run] = await hub.listRuns();
    expect(run?.response).toContain("hub_enc_");
    expect(run?.response).not.toContain(secret);
  });

  test("The memory that a call has taken is free again at its end, also after a failure", async () => {
    const takeAll = (failure?: Error) =>
      executeTask(async ({ memory }) => {
        const waiting = memory.take(16 * 1024 * 1024);
        if (failure !== undefined) throw failure;
        return waiting === null ? "at once" : "waits";
      }).then(({ value }) => value, toHubError);
    expect(await takeAll()).toBe("at once");
    const failure = new UpstreamError("The host answered 502.");
    expect(await takeAll(failure)).toMatchObject({ code: "upstream_error" });
    expect(await takeAll()).toBe("at once");
    expect(await takeAll()).toBe("at once");
  });
});

test("Progress after the answer is not sent", async () => {
  const { reports } = await call("late_progress");
  reportLater();
  expect(reports).toMatchObject([{ done: 1, message: "in time" }]);
});

test("Changes that a call makes in the row's configuration do not reach the next call", async () => {
  const { outcome, run } = await call("scribble");
  expect(outcome).toMatchObject({ code: "internal" });
  expect(run.status).toBe("error");
  expect(JSON.stringify(hub.logged.at(-1))).toContain("TypeError");
});

test("A hub token in an unexpected field is not recorded and does not leave the hub", async () => {
  const token = `hub_pat_${"0123456789abcdef".repeat(2)}`;
  const { operations } = hub;
  const ctx = toTestCall(["team"]);
  const origin = { ...ctx.origin, userAgent: `careless/1 ${token}` };
  const request = { query: [`find ${token}`] };
  const call = { operationKey: token, request };
  const { text } = await operations.records.record({ ...ctx, origin }, call, async () => ({
    found: token,
  }));
  const [run] = await hub.listRuns();
  expect(run?.operationKey).toBe("hub_pat_[removed]");
  expect(run?.userAgent).toBe("careless/1 hub_pat_[removed]");
  expect(`${text}${JSON.stringify(run)}`).not.toContain(token);
});

test("A long message is never cut inside a secret, in reply, record or log", async () => {
  for (let before = 4096 - secret.length - 1; before <= 4096; before += 1) {
    const { outcome, run } = await call("long_failure", { before });
    const output = `${JSON.stringify(outcome)}${run.errorMsg}`;
    expect(output).not.toContain(secret.slice(0, 4));
    expect(Buffer.byteLength(run.errorMsg ?? "")).toBeLessThanOrEqual(4096);
  }
  expect(JSON.stringify(hub.logged)).not.toContain(secret.slice(0, 6));
});

test("The record of a long request has its beginning, without a part of a secret, and says that it was cut", async () => {
  const password = "a-secret-of-the-caller-that-is-cut";
  for (const shift of [0, 9, 21]) {
    const note = `${"x".repeat(64 * 1024 - 60 - shift)}${password}${"y".repeat(300_000)}`;
    const { run } = await call("repeat", { note, password });
    expect(run?.request?.length).toBeWithin(15 * 1024, 16 * 1024 + 1);
    expect(run?.request).toContain("xxxx");
    expect(run?.request).not.toContain(password.slice(0, 8));
    expect(run?.requestCut).toBeTrue();
  }
});

describe("text around a token in a secret input is part of the secret", () => {
  const seal = (text: string, userId = testUserId) =>
    sealValue(hub.ring.current(), { userId, rowId: null }, text);
  const parts = ["inner-secret", "prefix-plain", "suffix-plain"];

  test("The text around a token is sealed with it, in reply and record, and a retry sends both", async () => {
    const password = `prefix-plain ${seal("inner-secret")} suffix-plain`;
    const { outcome, run } = await call("repeat", { password, note: "n" });
    const whole = seal("prefix-plain inner-secret suffix-plain");
    expect(outcome).toEqual({ value: { said: `got ${whole}`, note: "n" } });
    expect(run).toMatchObject({
      request: JSON.stringify({ password: whole, note: "n" }),
      requestCut: false,
    });
  });

  test("The text around another user's token, which is not opened, is not recorded", async () => {
    const password = `prefix-plain ${seal("inner-secret", crypto.randomUUID())} suffix-plain`;
    const { outcome, run } = await call("repeat", { password, note: "n" });
    expect(outcome).toMatchObject({ code: "token_invalid" });
    const output = `${JSON.stringify(outcome)}${JSON.stringify(run)}`;
    for (const part of parts) expect(output).not.toContain(part);
    expect(run).toMatchObject({ request: expect.stringContaining('"note":"n"'), requestCut: true });
  });

  test("A token without text around it is recorded unchanged", async () => {
    const password = seal("inner-secret");
    const { run } = await call("repeat", { password });
    expect(run).toMatchObject({ request: JSON.stringify({ password }), requestCut: false });
  });
});

test.each([
  ...hubTokenKinds,
])("A hub token (%s) in the params of a call is not recorded, also in a field that is not secret", async (kind) => {
  const token = `hub_${kind}_${"0123456789abcdef".repeat(4)}`;
  const { outcome, run } = await call("repeat", { password: "x", note: `use ${token} here` });
  expect(run.request).toContain(`"note":"use hub_${kind}_[removed] here"`);
  expect(`${JSON.stringify(outcome)}${JSON.stringify(run)}`).not.toContain(token);
});

describe("no cut leaves a part of a secret", () => {
  // Messages are limited to 4 KiB and details to 16 KiB. The first 64 KiB of details are read.
  const places = [4 * 1024, 16 * 1024, 64 * 1024];
  // Each place of a cut in the secret is tried at night, and every third one in the suite.
  const shifts = places.flatMap((place) =>
    someOf(
      8,
      Array.from({ length: 24 }, (_, back) => place - back - (place === 4 * 1024 ? 2 : 11)),
    ),
  );

  test("A cut leaves no part of a secret in a failure, its details, its audit row, progress or the log", async () => {
    for (const shift of shifts) {
      const before = hub.logged.length;
      const { outcome, reports, run } = await call("fail_with", { shift });
      const failure = outcome instanceof HubError ? outcome : null;
      expect(failure?.code).toBe("upstream_error");
      const output = { message: failure?.message, detail: failure?.detail, reports, run };
      const shown = JSON.stringify([output, hub.logged.slice(before)]);
      expect(shown).not.toContain(secret.slice(0, 4));
      expect(run.errorMsg?.length).toBeGreaterThan(3 * 1024);
    }
  });
});

describe("a thousand forms of a secret do not block the event loop", () => {
  test("A result with a thousand forms of a secret is sealed off the event loop", async () => {
    const { outcome } = await call("answer_variants");
    const { value } = outcome as { value: { result: string[] } };
    expect(value.result.length).toBeGreaterThan(20);
    expect(value.result.every((text) => /^hub_enc_[\w-]+$/.test(text))).toBeTrue();
  });

  test("A failure with a thousand forms of a secret is reported and recorded without its details", async () => {
    const { outcome, run } = await call("fail_variants");
    expect(outcome).toMatchObject({ code: "upstream_error", message: "All of them.", detail: {} });
    expect(run).toMatchObject({ status: "error", errorMsg: "All of them." });
  });
});
