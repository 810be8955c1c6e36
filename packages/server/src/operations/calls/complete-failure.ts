import { toOperationSchema } from "../../connectors/operation-schema.ts";
import { HubError } from "../../errors.ts";
import type { Target } from "../catalogue/find-operation.ts";
import { toShownSchema } from "../catalogue/shown-schema.ts";
import { parseToolId, toToolId } from "../catalogue/tool-id.ts";
import type { CallContext, MessageCause, ToolName } from "../operations.ts";
import type { Recording } from "../records/recording.ts";

/** Which schemas the answer of one message or one script has already. */
export type ShownSchemas = {
  /** Whether the schema is to be shown: false if the calls of the same cause have shown it. */
  show(cause: CallContext["cause"], toolId: string): boolean;
};

/** Causes are compared by identity, so they are forgotten with their calls. */
export function createShownSchemas(): ShownSchemas {
  const shown = new WeakMap<MessageCause, Set<string>>();
  return {
    show(cause, toolId) {
      if (cause?.kind !== "batch" && cause?.kind !== "script") return true;
      const toolIds = shown.get(cause) ?? new Set();
      shown.set(cause, toolIds);
      return toolIds.size < toolIds.add(toolId).size;
    },
  };
}

type FailedCall = {
  sent: ToolName;
  /** Null if the call has failed before its target was looked for. */
  known: Recording["known"] | null;
  /** Null if it was not found and admitted. */
  target: Target | null;
  ctx: Pick<CallContext, "cause">;
  schemas: ShownSchemas;
};

/**
 * Adds what the caller needs to call again: the whole tool id if it was named in another way and found, and to
 * `invalid_params` the schema. A workflow's step gets neither: its author reads the schema in the editor, and each run
 * would store it.
 */
export function completeFailure(
  thrown: unknown,
  { sent, known, target, ctx: { cause }, schemas }: FailedCall,
): unknown {
  if (!(thrown instanceof HubError) || cause?.kind === "workflow") return thrown;
  const toolId = known && findWholeId(known);
  if (toolId === null) return thrown;
  const { code, message, detail, localMessage } = thrown;
  const isNamed = sent.named !== undefined || parseToolId(sent.toolId) === null;
  const lacksSchema = code === "invalid_params" && target !== null && schemas.show(cause, toolId);
  if (!isNamed && !lacksSchema) return thrown;
  return new HubError(code, message, {
    detail: {
      ...(isNamed && { tool_id: toolId }),
      ...detail,
      ...(lacksSchema && toShownSchema(toOperationSchema(target.operation), detail.issues)),
    },
    cause: thrown.cause,
    ...(localMessage !== null && { localMessage }),
  });
}

/** The row has a label in the record once it is found. */
function findWholeId({ rowLabel, connectorId, operationKey }: Recording["known"]): string | null {
  return rowLabel === null || connectorId === null ? null : toToolId(connectorId, operationKey);
}
