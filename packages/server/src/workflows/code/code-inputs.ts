import { isJsonObject, type Json } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { writeJson } from "../../lib/write-json.ts";
import { yieldToEventLoop } from "../../lib/yield-to-event-loop.ts";
import { refuseStep } from "../engine/step-failure.ts";
import type { InputPart } from "./code-frames.ts";
import { inputBytesMax } from "./code-limits.ts";

/** What a script can read. */
export type CodeInputs = {
  event: Json;
  /** The outputs of the nodes that come before this one. */
  node: Readonly<Record<string, Json>>;
  env: Readonly<Record<string, string>>;
  item?: Json;
  index?: number;
};

export type WrittenInputs = { parts: InputPart[]; body: Uint8Array[] };

/** More members of a payload are sent as one. */
const membersMax = 100;

/** Writes the inputs as JSON, in portions. Each part is parsed only if the script reads it. */
export async function writeInputs(inputs: CodeInputs): Promise<WrittenInputs> {
  const written: WrittenInputs = { parts: [], body: [] };
  let left = inputBytesMax;
  for (const [path, value] of listParts(inputs)) {
    const bytes = Buffer.from(await write(value));
    left -= bytes.length;
    if (left < 0) throw refuseInputs();
    written.parts.push({ path, bytes: bytes.length });
    written.body.push(bytes);
  }
  return written;
}

function* listParts({ event, node, ...rest }: CodeInputs): Generator<[string[], Json]> {
  for (const [name, value] of Object.entries(Object(event))) {
    if (name === "Payload" && isJsonObject(value) && hasFewMembers(value)) {
      // A webhook has its body as text and as a value.
      for (const member of Object.keys(value)) {
        yield [["event", "Payload", member], value[member] ?? null];
      }
    } else yield [["event", name], value as Json];
  }
  yield* Object.entries(node).map(([id, output]): [string[], Json] => [["node", id], output]);
  if (Object.keys(node).length === 0) yield [["node"], {}];
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined) yield [[name], value];
  }
}

function hasFewMembers(value: Record<string, Json>): boolean {
  const { length } = Object.keys(value);
  return length > 0 && length <= membersMax;
}

async function write(value: Json): Promise<string> {
  try {
    const textCharsMax = Number.POSITIVE_INFINITY;
    return (await writeJson({ yieldToEventLoop, textCharsMax }, value)).text;
  } catch (thrown) {
    if (thrown instanceof HubError) throw refuseInputs();
    throw thrown;
  }
}

function refuseInputs(): HubError {
  return refuseStep(
    "The inputs of the script are larger than 16 MiB or a million values. Make smaller outputs in the nodes before it.",
  );
}
