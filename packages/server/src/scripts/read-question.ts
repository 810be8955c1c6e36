import { isJsonObject } from "@hub/connector";
import { toInvalidParams } from "../errors.ts";
import type { ExecuteRequest } from "../operations/operations.ts";
import type { ScriptQuestion } from "../sandbox/script-sandbox.ts";
import { fieldCharsMax, fieldsMax, queryCharsMax, toolIdCharsMax } from "./script-limits.ts";

/** The request of `call(tool_id, params, {fields})`. Throws `invalid_params`. */
export function readCall({
  toolId,
  params,
  fields,
}: Extract<ScriptQuestion, { kind: "call" }>): ExecuteRequest {
  if (typeof toolId !== "string" || toolId.length > toolIdCharsMax) {
    throw refuse("tool_id", 'must be a tool_id, such as "conn:…/get_issue"; find it with search');
  }
  const given = params ?? {};
  if (!isJsonObject(given)) throw refuse("params", "must be an object");
  if (fields !== undefined && !areFields(fields)) {
    throw refuse(
      "fields",
      `must be a list of at most ${fieldsMax} strings of at most ${fieldCharsMax} characters`,
    );
  }
  return { toolId, params: given, fields };
}

/** The text of `search(query)`. Throws `invalid_params`. */
export function readQuery({ query }: Extract<ScriptQuestion, { kind: "search" }>): string {
  if (typeof query === "string" && query.length <= queryCharsMax) return query;
  throw refuse("query", `must be a text of at most ${queryCharsMax} characters`);
}

function areFields(fields: unknown): boolean {
  return (
    Array.isArray(fields) &&
    fields.length > 0 &&
    fields.length <= fieldsMax &&
    fields.every((field) => typeof field === "string" && field.length <= fieldCharsMax)
  );
}

function refuse(path: string, message: string) {
  return toInvalidParams([{ path, message }]);
}
