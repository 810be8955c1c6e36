import { mapJson } from "../masks/map-json.ts";
import { splitTokens } from "./token-format.ts";

/** Removes every token from the strings of a JSON value, for an empty form. */
export function blankTokens(value: unknown): unknown {
  return mapJson(value, { mapText: blankText });
}

function blankText(text: string): string {
  return splitTokens(text, null)
    .filter((part) => part.kind === "text")
    .map((part) => part.text)
    .join("");
}
