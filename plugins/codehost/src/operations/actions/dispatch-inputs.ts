import { isJsonObject, type Json, parseJson } from "@hub/connector";

/** The inputs of a workflow. `note` is set if they were dropped. */
export type DispatchInputs = { inputs?: Record<string, Json>; note?: string };

/** Reads the inputs, an object or its JSON text. Other values are dropped with a note. */
export function readDispatchInputs(given: Json): DispatchInputs {
  if (given === undefined || given === null || given === "") return {};
  const inputs = typeof given === "string" ? parseOrNull(given) : given;
  if (isJsonObject(inputs)) return { inputs };
  return { note: "inputs was not a JSON object, so it was ignored. The run uses the defaults." };
}

function parseOrNull(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
