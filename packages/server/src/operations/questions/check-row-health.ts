import { isJsonObject, type Json } from "@hub/connector";
import type { ProgramHealth } from "../../connectors/connector-port.ts";
import { HubError } from "../../errors.ts";
import { healthKey } from "../../store/runs/run-outcomes.ts";
import type { ExecuteDeps } from "../calls/execute-deps.ts";
import type { RecordedFailure } from "../masking/seal-result.ts";
import type { CallContext } from "../operations.ts";
import { askRow } from "./ask-row.ts";

/**
 * Asks the outside system whether a row's configuration works. The check is recorded and sealed
 * like a call, because a reason often quotes the request. A check that says that the row does not work is recorded as
 * failed.
 */
export async function checkHealth(
  deps: ExecuteDeps,
  ctx: CallContext,
  rowId: string,
): Promise<ProgramHealth> {
  let isBuiltIn = false;
  const health = await askRow<ProgramHealth>(deps, ctx, rowId, {
    name: "health check",
    // Connectors cannot define an operation with this key.
    key: healthKey,
    request: {},
    check() {},
    // A check of a built-in connector without an answer from outside has reached nothing.
    findFailure: (sealed) => findFailure(sealed, isBuiltIn),
    async ask(connector, call) {
      isBuiltIn = connector.tier === "builtin";
      if (connector.health !== undefined) return await connector.health(call);
      throw new HubError("not_found", `The connector "${connector.key}" has no health check.`);
    },
  });
  const { program_output: output, ...rest } = health;
  const { reason } = rest;
  return {
    ...rest,
    ...(reason !== undefined && { reason: deps.hidePaths(reason) }),
    ...(output !== undefined &&
      ctx.caller.role === "admin" && { program_output: deps.hidePaths(output) }),
  };
}

function findFailure(sealed: Json, isUnreached: boolean): RecordedFailure | null {
  if (!isJsonObject(sealed) || sealed.ok !== false) return null;
  const { reason } = sealed;
  const message = typeof reason === "string" && reason !== "" ? reason : noReason;
  return { message, isUnreached };
}

const noReason = "The health check failed, and the connector gave no reason.";
