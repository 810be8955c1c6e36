import { isJsonObject, type Json } from "@hub/connector";
import { toShapeError } from "../../present.ts";

/** The labels that an issue has after a change; none is an empty list, never a missing one. */
export function presentLabels(json: Json, full: boolean | undefined): Json {
  if (json === null) return { ok: true };
  if (!Array.isArray(json)) throw toShapeError("a list of labels");
  if (full === true) return { labels: json };
  return { labels: json.map((label) => (isJsonObject(label) ? label.name : label)) };
}
