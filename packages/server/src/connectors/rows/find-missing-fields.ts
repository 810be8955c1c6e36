import { type FieldSpec, findMissing, readConfig } from "@hub/connector";
import type { RowRecord } from "../../store/rows/row-record.ts";

/** Required fields of a stored row without a value. Opens no secret. */
export function findMissingFields(fields: readonly FieldSpec[], row: RowRecord): FieldSpec[] {
  const texts: Record<string, string> = Object.create(null);
  for (const { key, value } of row.values) if (value !== null) texts[key] = value;
  const values = readConfig(fields, texts);
  for (const { key, sealed } of row.values) if (sealed !== null) values[key] = "[secret]";
  const missing = findMissing(fields, values);
  // Each user has an own value of these.
  return row.access === "shared" ? missing : missing.filter((field) => !field.personal);
}
