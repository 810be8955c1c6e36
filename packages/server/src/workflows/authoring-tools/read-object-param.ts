import { isJsonObject, parseJson } from "@hub/connector";
import { HubError } from "../../errors.ts";

/** A JSON object of the params. Some clients send it as text. */
export function readObjectParam(name: string, value: unknown): Record<string, unknown> {
  const read = typeof value === "string" ? parseText(value) : value;
  if (isJsonObject(read)) return read;
  throw new HubError("invalid_params", `${name} must be a JSON object, not a text or a list.`);
}

function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
