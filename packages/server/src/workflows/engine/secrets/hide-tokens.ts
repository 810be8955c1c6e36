import type { Json } from "@hub/connector";
import { mapJson } from "../../../secrets/masks/map-json.ts";
import { findTokenSpans } from "../../../secrets/value-tokens/token-format.ts";

const hidden = "[secret]";

/** Replaces value tokens, which would mean nothing to another user than their owner. */
export function hideTokens(value: Json): Json {
  return mapJson(value, { mapText: hideIn, mapKey: hideIn });
}

function hideIn(text: string): string {
  let end = 0;
  let result = "";
  for (const span of findTokenSpans(text)) {
    result += text.slice(end, span.start) + hidden;
    end = span.end;
  }
  return end === 0 ? text : result + text.slice(end);
}
