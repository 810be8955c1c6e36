import { isJsonObject, type Json, parseJson } from "@hub/connector";

/** What a workflow is started with; `note` where it was dropped. */
export type DispatchInputs = { inputs?: Record<string, Json>; note?: string };

/** Reads the inputs, an object or its JSON as text. What is neither is dropped, but not in silence. */
export function readDispatchInputs(given: Json): DispatchInputs {
  if (given === undefined || given === null || given === "") return {};
  const inputs = typeof given === "string" ? parseOrNull(given) : given;
  if (isJsonObject(inputs)) return { inputs };
  return { note: "inputs was not a JSON object, so it was dropped: the run has its defaults." };
}

function parseOrNull(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
