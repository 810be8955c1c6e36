import { isJsonObject, type Json } from "@hub/connector";
import { toShapeError } from "../../present-answer.ts";

/** The labels of an issue after a change. Without labels, the list is empty, not missing. */
export function presentLabels(json: Json, full: boolean | undefined): Json {
  if (json === null) return { ok: true };
  if (!Array.isArray(json)) throw toShapeError("a list of labels");
  if (full === true) return { labels: json };
  return { labels: json.map((label) => (isJsonObject(label) ? label.name : label)) };
}
