import { isJsonObject, type Json } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { writeJson } from "../../lib/json/write-json.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { inputBytesMax } from "../../sandbox/code-limits.ts";
import type { WrittenInputs } from "../../sandbox/frame-writer.ts";
import { refuseStep } from "../engine/step/step-failure.ts";

/** What each script of a node can read. */
export type SharedInputs = {
  event: Json;
  /** The outputs of the nodes that come before this one. */
  node: Readonly<Record<string, Json>>;
  env: Readonly<Record<string, string>>;
};

/** What a script can read. The scripts of the items of a node have the same object as `shared`. */
export type CodeInputs = { shared: SharedInputs; scope: { item: Json; index: number } | null };

/** More members of a payload are sent as one. */
const membersMax = 100;

/** Writes inputs as JSON, in portions. Each part is parsed only if the script reads it. */
export async function writeInputs(
  parts: Iterable<[path: string[], value: Json]>,
): Promise<WrittenInputs> {
  const written: WrittenInputs = { parts: [], body: [] };
  let left = inputBytesMax;
  for (const [path, value] of parts) {
    const bytes = Buffer.from(await write(value));
    left -= bytes.length;
    if (left < 0) throw refuseInputs();
    written.parts.push({ path, bytes: bytes.length });
    written.body.push(bytes);
  }
  return written;
}

export function* listShared({ event, node, env }: SharedInputs): Generator<[string[], Json]> {
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
  yield [["env"], env];
}

export function* listOwn({ scope }: CodeInputs): Generator<[string[], Json]> {
  if (scope === null) return;
  yield [["item"], scope.item];
  yield [["index"], scope.index];
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
