import { toPlainJson } from "../../lib/json/plain-json.ts";
import { UnreadBody } from "../../lib/streams/unread-body.ts";

/** A connector's result as a value. Large results of plugins are not parsed yet. */
export function readResult(result: unknown): unknown {
  if (result instanceof UnreadBody) return JSON.parse(Buffer.from(result.bytes).toString("utf8"));
  return typeof result === "string" ? result : toPlainJson(result);
}
