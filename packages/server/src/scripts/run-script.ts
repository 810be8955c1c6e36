import type { RunScript, ScriptRequest } from "../connectors/builtin/script-operations.ts";
import type { ConnectorCall } from "../connectors/connector-port.ts";
import type { CallContext } from "../operations/operations.ts";
import type { ScriptSandbox } from "../sandbox/script-sandbox.ts";
import { type AnswerDeps, createAnswers } from "./create-answers.ts";
import { toBroken, toScriptFailure } from "./script-failure.ts";

export type ScriptDeps = AnswerDeps & { sandbox: ScriptSandbox };

/**
 * Runs scripts that make calls as the caller of their own call. A script runs once, also if its process ends. Its
 * calls that are running when it ends are cancelled.
 */
export function createScriptRunner({ sandbox, ...deps }: ScriptDeps): RunScript {
  return async ({ source, input, timeoutMs, readsOnly }: ScriptRequest, call: ConnectorCall) => {
    let finished = 0;
    const { answer, listCalls } = createAnswers(deps, toContext(call), {
      runId: call.runId,
      readsOnly,
      reportCall() {
        finished += 1;
        call.progress(finished);
      },
    });
    const ownerId = call.caller.userId;
    const end = await sandbox.run({ ownerId, source, input, timeoutMs, answer }, call.signal);
    switch (end.kind) {
      case "value":
        return end.value;
      case "failed":
        throw toScriptFailure(end, listCalls());
      case "broken":
        throw toBroken(listCalls());
    }
  };
}

/** What the calls of the script take over from its own call. */
function toContext({ outer, caller, hubs = [], signal }: ConnectorCall): CallContext {
  if (outer === undefined) throw new Error("A script is called without its context");
  const { origin, findCaller, waitForTurn, traceContext } = outer;
  return {
    caller,
    origin,
    hubs,
    signal,
    ...(findCaller && { findCaller }),
    ...(waitForTurn && { waitForTurn }),
    ...(traceContext && { traceContext }),
  };
}
