import { isJsonObject, type Json } from "@hub/connector";
import { toShapeError } from "./request-logs.ts";

/** Reads the names in an answer of the log store's label addresses. `data` is null if there are none. */
export function readNames(answer: Json): string[] {
  if (!isJsonObject(answer)) throw toShapeError();
  const { data } = answer;
  if (data === undefined || data === null) return [];
  if (!Array.isArray(data)) throw toShapeError();
  return [...new Set(data.filter((name) => typeof name === "string" && name !== ""))];
}
