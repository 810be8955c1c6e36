import type { Caller } from "../caller.ts";
import type { RunScript, ScriptRequest } from "../connectors/builtin/script-operations.ts";
import type { ConnectorCall } from "../connectors/connector-port.ts";
import type { CallContext } from "../operations/operations.ts";
import type { Operations } from "../operations/ports.ts";
import type { ScriptSandbox } from "../sandbox/script-sandbox.ts";
import { type AnswerDeps, createAnswers } from "./create-answers.ts";
import { toBroken, toLost, toScriptFailure } from "./script-failure.ts";

export type ScriptDeps = AnswerDeps & {
  sandbox: ScriptSandbox;
  rights: Operations["rights"];
  /** How many running calls the user may have; 0 is no limit. */
  findCallsAtOnce(caller: Caller): Promise<number>;
};

/**
 * Runs scripts that make calls as the caller of their own call. A script runs once, also if its process ends. Its
 * calls that are running when it ends are cancelled.
 */
export function createScriptRunner({
  sandbox,
  rights,
  findCallsAtOnce,
  ...deps
}: ScriptDeps): RunScript {
  return async ({ source, input, timeoutMs, readsOnly }: ScriptRequest, call: ConnectorCall) => {
    const ctx = toContext(call);
    let finished = 0;
    const { answer, listCalls, listTargets } = createAnswers(deps, ctx, {
      runId: call.runId,
      readsOnly,
      // Workflows wait for a limit of their own.
      callsAtOnce: call.isFromWorkflow ? 0 : await findCallsAtOnce(call.caller),
      reportCall() {
        finished += 1;
        call.progress(finished);
      },
    });
    const ownerId = call.caller.userId;
    const end = await sandbox.run({ ownerId, source, input, timeoutMs, answer }, call.signal);
    const calls = listCalls();
    // What the script answers may contain what a call returned, or the message of its failure.
    const lost = await rights.checkTargets(ctx, listTargets());
    if (lost.size > 0) throw toLost();
    switch (end.kind) {
      case "value":
        return end.value;
      case "failed":
        throw toScriptFailure(end, calls);
      case "broken":
        throw toBroken(calls);
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
