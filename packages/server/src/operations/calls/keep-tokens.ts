import type { Mask } from "../../secrets/masks/mask.ts";
import type { Admitted, ToolCall } from "../admission/call.ts";
import type { OpenedParams } from "./open-params.ts";

/** Whether the operation gets value tokens as they are: people read what a chat sends, and a script may read its params. */
export function keepsTokens({ connector, operation }: Admitted<ToolCall>): boolean {
  return connector.isChat === true || connector.scriptOperations?.has(operation.key) === true;
}

/** A token stays a token, and a secret of the row becomes one. */
export function keepTokens(mask: Mask, params: Record<string, unknown>): OpenedParams {
  // Masks keep the names of members and JSON values.
  const kept = mask.sealJson(params) as Record<string, unknown>;
  return { params: kept, opened: new Set() };
}
