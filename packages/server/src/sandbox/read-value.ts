import { type Json, parseJson } from "@hub/connector";
import { HubError } from "../errors.ts";
import { findJsonExcess } from "../lib/json/scan-json.ts";
import { valueDepthMax, valuesMax } from "./code-limits.ts";

/**
 * Parses what a script returned. The text comes from a process that may have been taken over, so its cost is
 * checked first. Throws `code_failed` for a value that is too deep or has too many parts, and another error for
 * what no script can return.
 */
export function readScriptValue(bytes: Uint8Array): Json {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const excess = findJsonExcess(text, { depthMax: valueDepthMax, valuesMax });
  if (excess === null) return parseJson(text);
  const limit =
    excess === "depth"
      ? `nested deeper than ${valueDepthMax} levels`
      : `of more than ${valuesMax.toLocaleString("en")} values`;
  throw new HubError("code_failed", `The script returned a value ${limit}. Return less.`);
}
