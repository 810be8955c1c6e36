import { mapJson } from "./map-json.ts";
import { splitTokens } from "./token-format.ts";

/** A JSON value with every token in its strings left out, whole or embedded: a form to fill in. */
export function blankTokens(value: unknown): unknown {
  return mapJson(value, { mapText: blankText });
}

function blankText(text: string): string {
  return splitTokens(text, null)
    .filter((part) => part.kind === "text")
    .map((part) => part.text)
    .join("");
}
