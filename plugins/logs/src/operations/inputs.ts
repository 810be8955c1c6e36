import { type FieldRecord, type OperationSource, wick } from "@hub/connector";
import type { configFields } from "../logs-config-fields.ts";

/** Defines an operation, with the types of its inputs and of this connector's row. */
export function defineOperation<Input extends FieldRecord>(
  source: OperationSource<typeof configFields, Input, object>,
): OperationSource<typeof configFields, Input, object> {
  return source;
}

/** The default window for labels, in hours before now. */
export const labelHours = 6;

export const labelWindowInput = {
  start: wick(
    "desc=Start of the window. RFC 3339 with an offset (2026-11-20T09:30:00Z), relative to now (now-7d\\; units s, m, h, d, w), or Unix nanoseconds (at least 15 digits). Default 6 hours ago",
  ),
  end: wick("desc=End of the window, in the same forms as start. Default now"),
};
