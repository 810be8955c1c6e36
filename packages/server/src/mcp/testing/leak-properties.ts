import { isJsonObject, type Json, parseJson, toJsonText, UpstreamError } from "@hub/connector";
import fc from "fast-check";
import { HubError } from "../../errors.ts";
import type { ProgressReport } from "../../operations/operations.ts";
import { toTestCall } from "../../operations/testing/open-test-operations.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { isWeakSecret } from "../../secrets/needles/estimate-strength.ts";
import { createLeakCheck, type LeakCheck } from "../../secrets/testing/leak-check.ts";
import {
  isOfRow,
  plantJson,
  plantText,
  type Secret,
  secretTexts,
} from "../../secrets/testing/secret-cases.ts";
import { containsToken, sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { listRuns } from "../../store/runs/runs-table.ts";
import type { LeakHub } from "./leak-hub.ts";
import { post, postStateless, request } from "./post-message.ts";

/** One call: how each of its secrets enters the hub, and everything that the call outputs. */
export type LeakCase = {
  /** Secrets of the row: a required field, and one that may be a short PIN. */
  token: string;
  pin: string;
  /** Typed as plaintext into an input tagged `secret`. */
  password: string;
  /** Passed as a value token, whole and within other text. */
  held: string;
  /** Named by the connector while it runs. */
  learned: string;
  learnedAnyCase: string;
  /** Other text from the model, including echoes. */
  text: string;
  data: unknown;
  progress: string[];
  logged: { message: string; details: unknown };
  ending: Ending;
  door: "operations" | "json" | "events" | "stateless";
};

type Ending =
  | { kind: "result"; value: unknown }
  | { kind: "params" }
  | { kind: "upstream"; message: string; body: unknown; cause: string }
  | { kind: "error"; message: string; cause: string }
  | { kind: "fault"; message: string; cause: string }
  | { kind: "thrown"; value: string }
  | { kind: "unknown param"; name: string }
  | { kind: "broken token" };

/** Secrets of one call. */
export const secretsPerCall = 6;

const ring = createKeyRing([new Uint8Array(32).fill(7)]);

/** Cases for `checkLeaks`, whose tokens open for this user. */
export function leakCases({
  userId,
  rowId,
}: Pick<LeakHub, "userId" | "rowId">): fc.Arbitrary<LeakCase> {
  return sources.chain((given) =>
    fc.record(listParts(given, { userId, rowId })).map((parts) => ({ ...given, ...parts })),
  );
}

/**
 * If a row's secret can be guessed, the hub's own sentences are not searched for it. So it must be no word of them:
 * the library sometimes makes "call".
 */
const rowSecretTexts = secretTexts.filter(
  (text) => !(/^[a-z]{4,}$/i.test(text) && isWeakSecret(text)),
);

const sources = fc.record({
  token: rowSecretTexts,
  pin: rowSecretTexts,
  // Texts with broken tokens are refused and recorded unchanged, so they are excluded.
  password: secretTexts.filter((text) => !containsToken(ring, text)),
  held: secretTexts,
  learned: secretTexts,
  learnedAnyCase: secretTexts,
});

type Sources = Pick<LeakCase, "token" | "pin" | "password" | "held" | "learned" | "learnedAnyCase">;

function listParts(given: Sources, { userId, rowId }: Pick<LeakHub, "userId" | "rowId">) {
  const secrets = [...listKnown(given), ...listLearned(given)];
  const toToken = (text: string) =>
    sealValue(ring, { userId, rowId: isOfRow(secrets, text) ? rowId : null }, text);
  const planting = { secrets, toToken };
  const text = plantText(planting);
  const json = plantJson(planting);
  const kind = <Kind extends Ending["kind"]>(name: Kind) => fc.constant(name);
  return {
    text,
    data: json,
    progress: fc.array(text, { maxLength: 2 }),
    logged: fc.record({ message: text, details: json }),
    door: fc.constantFrom<LeakCase["door"]>(
      "operations",
      "operations",
      "operations",
      "json",
      "events",
      "stateless",
    ),
    ending: fc.oneof<fc.MaybeWeightedArbitrary<Ending>[]>(
      { weight: 6, arbitrary: fc.record({ kind: kind("result"), value: json }) },
      fc.record({ kind: kind("params") }),
      fc.record({ kind: kind("upstream"), message: text, body: json, cause: text }),
      fc.record({ kind: kind("upstream"), message: text, body: text, cause: text }),
      fc.record({ kind: kind("error"), message: text, cause: text }),
      fc.record({ kind: kind("fault"), message: text, cause: text }),
      fc.record({ kind: kind("thrown"), value: text }),
      fc.record({ kind: kind("unknown param"), name: text }),
      fc.record({ kind: kind("broken token") }),
    ),
  };
}

const toExact = (text: string): Secret => ({ text, anyCase: false });

/** The secrets that the hub knows before it opens a token. */
function listKnown({ token, pin, password }: Sources): Secret[] {
  const ofRow = [token, pin].map((text) => ({ text, anyCase: false, ofRow: true }));
  return [...ofRow, toExact(password)];
}

function listLearned({ held, learned, learnedAnyCase }: Sources): Secret[] {
  return [toExact(held), toExact(learned), { text: learnedAnyCase, anyCase: true }];
}

/**
 * Makes the call and checks everything that left the hub: reply, progress, log and audit row.
 * Throws if a check fails; returns the outcome of the call.
 */
export async function checkLeaks(hub: LeakHub, given: LeakCase): Promise<string> {
  await hub.setSecrets({ token: given.token, pin: given.pin });
  hub.setAct((tools) => act(given, tools));
  hub.logged.length = 0;
  const params = toParams(hub, given);
  const answer = await callThrough(given.door, hub, params);
  const { ended } = answer;
  const outcome = ended.kind === "failure" ? ended.code : "success";

  const check = createCheck(hub, given, outcome);
  if (ended.kind === "failure") {
    check.checkJsonText("the reply's details", toJsonText(ended.detail));
    checkFailure(check, given.ending, ended);
  } else {
    checkWhole(check, "the reply", ended.text, given.ending);
  }
  for (const [index, message] of answer.progress.entries()) {
    check.checkBeginning("progress", message, given.progress[index] ?? "");
  }
  checkLog(check, hub, given);
  await checkRecord(check, hub, given, { ended, params });
  return outcome;
}

function createCheck({ userId, rowId }: LeakHub, given: LeakCase, outcome: string): LeakCheck {
  const deps = { ring, userId, rowId };
  const [known, learned] = [listKnown(given), listLearned(given)];
  // A call that is refused before it runs has no named secrets, but may have opened some tokens.
  if (outcome === "token_invalid") return createLeakCheck(deps, known, learned);
  const [held, ...rest] = learned;
  if (outcome !== "invalid_params" || held === undefined) {
    return createLeakCheck(deps, [...known, ...learned]);
  }
  return createLeakCheck(deps, [...known, held], rest);
}

/** The operation outputs its secrets in every possible way. */
function act({ learned, learnedAnyCase, progress, logged, ending }: LeakCase, tools: Tools) {
  tools.mask(learned);
  tools.maskIgnoreCase(learnedAnyCase);
  for (const [index, message] of progress.entries()) tools.progress(index, 2, message);
  tools.log.warn(logged.message, { details: logged.details });
  switch (ending.kind) {
    case "result":
      return ending.value;
    case "params":
      return tools.params;
    case "upstream":
      throw new UpstreamError(ending.message, {
        httpStatus: 503,
        body: ending.body,
        cause: new Error(ending.cause),
      });
    case "error":
      throw new Error(ending.message, { cause: new Error(ending.cause) });
    case "fault":
      throw new TypeError(ending.message, { cause: ending.cause });
    case "thrown":
      throw ending.value;
    case "unknown param":
    case "broken token":
      throw new Error("A call that is to be refused has run.");
  }
}

type Tools = Parameters<Parameters<LeakHub["setAct"]>[0]>[0];

function toParams({ userId }: LeakHub, { password, held, text, data, ending }: LeakCase) {
  const token = sealValue(ring, { userId, rowId: null }, held);
  return Object.fromEntries([
    ["password", password],
    [
      "text",
      `${text} Bearer ${ending.kind === "broken token" ? token.slice(0, -1) : `${token}-prod`}`,
    ],
    ["data", [data, { deep: token }]],
    ...(ending.kind === "unknown param" ? [[ending.name, held]] : []),
  ]);
}

type Ended =
  | { kind: "result"; text: string }
  | { kind: "failure"; code: string; message: string; detail: unknown };
type Answer = { ended: Ended; progress: string[] };

async function callThrough(
  door: LeakCase["door"],
  hub: LeakHub,
  params: Record<string, unknown>,
): Promise<Answer> {
  const { caller, mcp, toolId } = hub;
  if (door === "operations") return callOperations(hub, params);
  const call = {
    name: "hub_execute",
    arguments: { tool_id: toolId, params },
    _meta: { progressToken: "p" },
  };
  const accept = door === "events" ? "text/event-stream" : "application/json";
  if (door === "stateless") {
    const headers = { accept: "application/json, text/event-stream" };
    const meta = { progressToken: "p" };
    return await readFrames(
      await postStateless(mcp, "tools/call", call, { caller, headers, meta }),
    );
  }
  return await readFrames(
    await post(mcp, request("tools/call", call), { caller, headers: { accept } }),
  );
}

async function callOperations(hub: LeakHub, params: Record<string, unknown>): Promise<Answer> {
  const reports: ProgressReport[] = [];
  const ctx = toTestCall(["team"], { reports });
  const ended = await hub.operations.calls.call(ctx, { toolId: hub.toolId, params }).then(
    ({ text }): Ended => ({ kind: "result", text }),
    (thrown: unknown): Ended => {
      if (!(thrown instanceof HubError)) throw thrown;
      const { code, message, detail } = thrown;
      return { kind: "failure", code, message, detail };
    },
  );
  return { ended, progress: reports.map(({ message = "" }) => message) };
}

/** Parses a reply as an MCP client does, as JSON or as an event stream. */
async function readFrames(response: Response): Promise<Answer> {
  const body = await response.text();
  // Lines of an event stream end only with a line feed. Other line separators may occur inside
  // JSON.
  const lines = body.split("\n").filter((line) => line.startsWith("data: "));
  const events = lines.map((line) => line.slice("data: ".length));
  const frames = (events.length > 0 ? events : [body]).map((text) => parseJson(text) as Frame);
  const result = frames.at(-1)?.result;
  const text = result?.content[0].text ?? fail("a reply without a result", body);
  if (result?.structuredContent !== undefined) {
    // Safe: parseJson returns JSON values.
    const value = parseJson(text) as Json;
    const structured = toJsonText(result.structuredContent);
    const expected = toJsonText(isJsonObject(value) ? value : { result: value });
    if (structured !== expected) fail("two results", structured);
  }
  const progress = frames.slice(0, -1).map(({ params }) => params?.message ?? "");
  if (result?.isError !== true) return { ended: { kind: "result", text }, progress };
  const { error: message, code, tool_id: _, ...detail } = parseJson(text) as Failure;
  return { ended: { kind: "failure", code, message, detail }, progress };
}

/** The parts of a reply that the checks read. A reply with another structure fails. */
type Frame = {
  result?: { content: [{ text: string }]; structuredContent?: unknown; isError?: boolean };
  params?: { message?: string };
};
type Failure = { error: string; code: string; tool_id?: string };

function checkFailure(check: LeakCheck, ending: Ending, failure: Ended & { kind: "failure" }) {
  if (failure.code !== "upstream_error") {
    check.checkJson("the reply's error", failure.message);
    return;
  }
  if (ending.kind !== "upstream" && ending.kind !== "error") fail("a failure", failure.message);
  check.checkBeginning("the reply's error", failure.message, toReported(ending.message));
  if (ending.kind === "error" || isCut(failure.detail)) return;
  const details = { http_status: 503, upstream: ending.body };
  check.checkKept("the reply's details", failure.detail, details);
}

/** A failure without a message gets the hub's default message. */
function toReported(message: string): string {
  return message === "" ? "The operation failed." : message;
}

/** Checks the JSON text of a result, which must be complete unless it has a note about a cut. */
function checkWhole(check: LeakCheck, place: string, text: string, ending: Ending): void {
  const value = check.checkJsonText(place, text);
  if (ending.kind === "result" && !isCut(value)) check.checkLossless(place, value, ending.value);
}

function checkLog(check: LeakCheck, { logged }: LeakHub, given: LeakCase): void {
  for (const { fields, message } of logged) {
    for (const value of Object.values(fields)) check.checkJsonText("the log", toJsonText(value));
    // The other entries have fixed texts of the hub.
    if (!("details" in fields)) continue;
    check.checkBeginning("the log", message, given.logged.message);
    if (isCut(fields.details)) continue;
    check.checkKept("the log's details", fields.details, { details: given.logged.details });
  }
}

async function checkRecord(
  check: LeakCheck,
  { store }: LeakHub,
  { ending }: LeakCase,
  made: { ended: Ended; params: Record<string, unknown> },
): Promise<void> {
  const [run] = await listRuns(store.db, { limit: 1 });
  if (run === undefined || run.status === "running") return fail("no outcome on record", "");
  const reported = made.ended.kind === "failure" ? made.ended : { code: null, message: null };
  if (run.errorCode !== reported.code)
    fail("another outcome on record", run.errorCode ?? "success");
  // The message was already checked.
  if (run.errorMsg !== reported.message) fail("another error on record", run.errorMsg ?? "");
  const asked = check.checkJsonText("the recorded request", run.request ?? "");
  // Values of unknown params are omitted, so such a request is incomplete.
  const isWhole = !run.requestCut && ending.kind !== "unknown param";
  if (isWhole) check.checkLossless("the recorded request", asked, made.params);
  if (run.response !== null) checkWhole(check, "the recorded response", run.response, ending);
}

function isCut(value: unknown): boolean {
  return typeof value === "object" && value !== null && "_truncated" in value;
}

function fail(fault: string, shown: string): never {
  throw new Error(`${fault}: ${shown}`);
}
