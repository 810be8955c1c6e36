import { isJsonObject, type Json } from "@hub/connector";
import { escapeInvisible } from "@hub/contract/invisible-characters.ts";
import type { WorkflowShownValue } from "@hub/contract/workflow-approval.ts";
import { cutTextAtCharacter } from "../../lib/json/cut-json.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { cutSealedText } from "../../operations/masking/cut-sealed-text.ts";
import { type Seal, sealLines, sealTexts } from "./seal-lines.ts";

export type NamedValue = { label: string; value: Json };

type ShowDeps = {
  /** Cuts a text before it is sealed, so that no secret is split. */
  cutText(text: string, bytesMax: number): string;
  seal: Seal;
};

/** Of a text before it is sealed. */
const readBytesMax = 8 * 1024;
const valueBytesMax = 4 * 1024;
const labelBytesMax = 400;
const listedCharsMax = 200;
/** Of a list or an object, which is not cut before it is sealed: a secret could be in several of its texts. */
const partsMax = 1_000;
const partsCharsMax = 16 * 1024;

/**
 * The values that decide, as approvers read them: texts of at most 4 KiB without secrets, in which invisible
 * characters are escapes. Labels are one line.
 */
export async function showValues(
  { cutText, seal }: ShowDeps,
  values: readonly NamedValue[],
): Promise<WorkflowShownValue[]> {
  if (values.length === 0) return [];
  const read: Array<{ label: string; value: Json; isCut: boolean }> = [];
  for (const { label, value } of values) {
    const small = toSmall(value, cutText);
    read.push({ label: cutText(label, readBytesMax), value: small, isCut: small !== value });
    await yieldToEventLoop();
  }
  const labels = read.map(({ label }) => label);
  const lines = await sealLines(seal, labels);
  const sealed = await sealTexts(
    seal,
    read.map(({ value }) => value),
  );
  return read.map(({ isCut }, at) => {
    const text = escapeInvisible((sealed[at] ?? "").replace(/\r\n?/g, "\n"));
    const value = cutSealedText(text, valueBytesMax);
    const label = cutTextAtCharacter(escapeInvisible(lines[at] ?? ""), labelBytesMax);
    return { label, value, is_cut: isCut || value !== text };
  });
}

/** Values as lists show them. */
export function cutListed(values: readonly WorkflowShownValue[]): WorkflowShownValue[] {
  return values.map(({ label, value, is_cut: isCut }) => {
    if (value.length <= listedCharsMax) return { label, value, is_cut: isCut };
    // No half of a surrogate pair at the end.
    const kept = value.slice(0, listedCharsMax).replace(/[\uD800-\uDBFF]$/, "");
    return { label, value: kept, is_cut: true };
  });
}

function toSmall(value: Json, cutText: ShowDeps["cutText"]): Json {
  if (typeof value === "string") return cutText(value, readBytesMax);
  if (isSmall(value)) return value;
  if (Array.isArray(value)) return `(a list of ${value.length} items, which is too large to show)`;
  return "(an object, which is too large to show)";
}

/** Ends early, because a value can be a whole webhook of 10 MiB. */
function isSmall(value: Json): boolean {
  const left: Json[] = [value];
  let chars = 0;
  let parts = 0;
  while (left.length > 0) {
    const part = left.pop();
    parts += 1;
    if (typeof part === "string") chars += part.length;
    if (Array.isArray(part)) {
      if (part.length > partsMax) return false;
      left.push(...part);
    } else if (isJsonObject(part)) {
      for (const key in part) {
        chars += key.length;
        const member = part[key];
        if (member !== undefined) left.push(member as Json);
        if (left.length + parts > partsMax) return false;
      }
    }
    if (left.length + parts > partsMax || chars > partsCharsMax) return false;
  }
  return true;
}
