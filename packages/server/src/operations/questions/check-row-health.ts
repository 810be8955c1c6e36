import type { ProgramHealth } from "../../connectors/connector-port.ts";
import { HubError } from "../../errors.ts";
import type { ExecuteDeps } from "../calls/execute-operation.ts";
import type { CallContext } from "../operations.ts";
import { askRow } from "./ask-row.ts";

/** The operation key in the audit row. Connectors cannot define an operation with this key. */
const healthKey = "hub.health";

/**
 * Asks the outside system whether a row's configuration works. The check is recorded and sealed
 * like a call, because a reason often quotes the request.
 */
export async function checkHealth(
  deps: ExecuteDeps,
  ctx: CallContext,
  rowId: string,
): Promise<ProgramHealth> {
  const health = await askRow<ProgramHealth>(deps, ctx, rowId, {
    name: "health check",
    key: healthKey,
    request: {},
    check() {},
    async ask(connector, call) {
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
