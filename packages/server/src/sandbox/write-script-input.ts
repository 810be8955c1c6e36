import type { Json } from "@hub/connector";
import { HubError } from "../errors.ts";
import { writeJson } from "../lib/json/write-json.ts";
import { yieldToEventLoop } from "../lib/time/yield-to-event-loop.ts";
import { inputBytesMax } from "./code-limits.ts";
import type { WrittenInputs } from "./frame-writer.ts";

/** Writes the `input` of a script, in portions. Throws `invalid_params` if it is too large. */
export async function writeScriptInput(input: Json): Promise<WrittenInputs> {
  const bytes = Buffer.from(await write(input));
  if (bytes.length > inputBytesMax) throw refuse();
  return { parts: [{ path: ["input"], bytes: bytes.length }], body: [bytes] };
}

async function write(input: Json): Promise<string> {
  try {
    const textCharsMax = Number.POSITIVE_INFINITY;
    return (await writeJson({ yieldToEventLoop, textCharsMax }, input)).text;
  } catch (thrown) {
    if (thrown instanceof HubError) throw refuse();
    throw thrown;
  }
}

function refuse(): HubError {
  return new HubError(
    "invalid_params",
    "input: it is larger than 16 MiB or a million values, or nested too deeply. Send less.",
  );
}
