import { type DiscoveredOperation, toBytesText, toJsonText } from "@hub/connector";
import { cutLine } from "../../lib/text/cut-line.ts";
import { stripInvisible } from "../../lib/text/strip-invisible.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { LeftOutOperation } from "../../store/rows/row-discoveries-table.ts";
import type { StoredDefinition } from "../../store/rows/row-operations-table.ts";
import { cleanSchema, SchemaRefusal } from "./clean-schema.ts";

/** An operation of the outside system, as it is stored and shown. */
export type CleanOperation = { sourceName: string; definition: StoredDefinition };

export type CleanDiscovery = {
  operations: CleanOperation[];
  /** With their whole names, by which they are known. */
  leftOut: LeftOutOperation[];
};

/** More operations in one row would make lists slow for every user. */
export const operationsMax = 5_000;
const nameCharsMax = 100;
const sourceNameCharsMax = 500;
const descriptionCharsMax = 4_000;
const inputBytesMax = 64 * 1024;
const outputBytesMax = 16 * 1024;
const bindingBytesMax = 64 * 1024;
const perPortion = 20;

/**
 * Makes texts and schemas from outside safe to store and to show: without control and invisible
 * characters, cut, and within limits. `hideSecrets` removes the row's secrets, which an outside
 * system may repeat.
 */
export async function cleanDiscovery(
  found: readonly DiscoveredOperation[],
  hideSecrets: <Value>(value: Value) => Value,
): Promise<CleanDiscovery> {
  const operations: CleanOperation[] = [];
  const leftOut: LeftOutOperation[] = [];
  const names = new Set<string>();
  for (const [index, operation] of found.slice(0, operationsMax).entries()) {
    if (index % perPortion === 0) await yieldToEventLoop();
    const sourceName = hideSecrets(operation.sourceName);
    const leaveOut = (reason: string) =>
      leftOut.push({ sourceName: sourceName.slice(0, sourceNameCharsMax), reason });
    if (sourceName === "" || sourceName.length > sourceNameCharsMax) {
      leaveOut(`Its name must have 1 to ${sourceNameCharsMax} characters.`);
      continue;
    }
    if (names.has(sourceName)) {
      leaveOut("Another operation has the same name.");
      continue;
    }
    names.add(sourceName);
    try {
      operations.push({ sourceName, definition: cleanDefinition(hideSecrets(operation)) });
    } catch (thrown) {
      if (!(thrown instanceof SchemaRefusal)) throw thrown;
      leaveOut(`Its input schema ${thrown.message}.`);
    }
  }
  if (found.length > operationsMax) {
    const rest = found.length - operationsMax;
    const reason = `A row has at most ${operationsMax} operations. Use filters, or several rows.`;
    leftOut.push({ sourceName: `${rest} more operations`, reason, count: rest });
  }
  return { operations, leftOut };
}

/** Throws a SchemaRefusal if the input schema cannot be used. */
export function cleanDefinition(operation: DiscoveredOperation): StoredDefinition {
  const { sourceName, title, description, outputSchema, destructive, idempotent } = operation;
  const inputSchema = toBoundedJson(cleanSchema(operation.inputSchema, cleanText), inputBytesMax);
  if (inputSchema === null) throw new SchemaRefusal(`is larger than ${toBytesText(inputBytesMax)}`);
  const binding = toBoundedJson(operation.binding ?? null, bindingBytesMax);
  if (binding === null) throw new SchemaRefusal("has more parts than a call can carry");
  return {
    name: cutLine(title ?? sourceName, nameCharsMax) || cutLine(sourceName, nameCharsMax),
    description: cleanText(description).slice(0, descriptionCharsMax).toWellFormed().trim(),
    destructive,
    idempotent: idempotent === true,
    inputSchema,
    outputSchema: cleanOutput(outputSchema),
    binding,
  };
}

/** An output schema only describes, so one that cannot be used is left out. */
function cleanOutput(schema: DiscoveredOperation["outputSchema"]): string | null {
  if (schema === undefined) return null;
  try {
    return toBoundedJson(cleanSchema(schema, cleanText), outputBytesMax);
  } catch (thrown) {
    if (thrown instanceof SchemaRefusal) return null;
    throw thrown;
  }
}

function toBoundedJson(value: unknown, bytesMax: number): string | null {
  const text = toJsonText(value);
  return Buffer.byteLength(text) > bytesMax ? null : text;
}

function cleanText(text: string): string {
  return stripInvisible(text.slice(0, 2 * descriptionCharsMax), { keepsLines: true });
}
