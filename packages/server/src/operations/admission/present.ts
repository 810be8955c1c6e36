import type { Call, RowCall, ToolCall } from "./call.ts";

/** The row exists. The other gates ask about rows that do. */
export function isPresent(asked: ToolCall | RowCall): asked is (ToolCall | RowCall) & Call {
  return asked.row !== null;
}
