import { toJsonText } from "@hub/connector";
import { createLeakCheck, type LeakCheck } from "../../secrets/testing/leak-check.ts";
import { listRuns } from "../../store/runs/runs-table.ts";
import { type Ending, type LeakCase, listKnown, listLearned, ring } from "./leak-cases.ts";
import type { LeakHub } from "./leak-hub.ts";
import { type Ended, failCase, makeLeakCall } from "./make-leak-call.ts";

/**
 * Makes the call and checks everything that left the hub: reply, progress, log and audit row.
 * Throws if a check fails; returns the outcome of the call.
 */
export async function checkLeaks(hub: LeakHub, given: LeakCase): Promise<string> {
  const { ended, progress, params } = await makeLeakCall(hub, given);
  const outcome = ended.kind === "failure" ? ended.code : "success";

  const check = createCheck(hub, given, outcome);
  if (ended.kind === "failure") {
    check.checkJsonText("the reply's details", toJsonText(ended.detail));
    checkFailure(check, given.ending, ended);
  } else {
    checkWhole(check, "the reply", ended.text, given.ending);
  }
  for (const [index, message] of progress.entries()) {
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

function checkFailure(check: LeakCheck, ending: Ending, failure: Ended & { kind: "failure" }) {
  if (failure.code !== "upstream_error") {
    check.checkJson("the reply's error", failure.message);
    return;
  }
  if (ending.kind !== "upstream" && ending.kind !== "error") failCase("a failure", failure.message);
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
  if (run === undefined || run.status === "running") return failCase("no outcome on record", "");
  const reported = made.ended.kind === "failure" ? made.ended : { code: null, message: null };
  if (run.errorCode !== reported.code)
    failCase("another outcome on record", run.errorCode ?? "success");
  // The message was already checked.
  if (run.errorMsg !== reported.message) failCase("another error on record", run.errorMsg ?? "");
  const asked = check.checkJsonText("the recorded request", run.request ?? "");
  // Values of unknown params are omitted, so such a request is incomplete.
  const isWhole = !run.requestCut && ending.kind !== "unknown param";
  if (isWhole) check.checkLossless("the recorded request", asked, made.params);
  if (run.response !== null) checkWhole(check, "the recorded response", run.response, ending);
}

function isCut(value: unknown): boolean {
  return typeof value === "object" && value !== null && "_truncated" in value;
}
