import type { WorkflowShownValue } from "@hub/contract/workflow-approval.ts";
import { cutTextAtCharacter } from "../../lib/json/cut-json.ts";
import { stripInvisible } from "../../lib/text/strip-invisible.ts";

export type CutText = { text: string; isCut: boolean };

/** Without spaces that push a part of the line to the start of the next one on a screen. */
export const toLine = (text: string) => stripInvisible(text).replace(/\s+/g, " ").trim();

/** Without empty space that hides what follows. */
export const toLines = (text: string) =>
  stripInvisible(text, { keepsLines: true })
    .replace(/\n\s*\n/g, "\n\n")
    .trim();

export function cut(text: string, bytesMax: number): CutText {
  if (Buffer.byteLength(text) <= bytesMax) return { text, isCut: false };
  return { text: `${cutTextAtCharacter(text, bytesMax - 3)}…`, isCut: true };
}

/** A line for each value, which have equal shares of the bytes. A long label leaves most of the line to its value. */
export function toValueLines(values: readonly WorkflowShownValue[], bytesMax: number): CutText {
  const lineBytesMax = Math.floor(bytesMax / Math.max(values.length, 1)) - 1;
  const lines = values.map(({ label, value, is_cut: isCut }) => {
    const name = cut(toLine(label), Math.floor(lineBytesMax * 0.4));
    const line = cut(toLine(value), lineBytesMax - Buffer.byteLength(name.text) - 2);
    return { text: `${name.text}: ${line.text}`, isCut: isCut || name.isCut || line.isCut };
  });
  return {
    text: lines.map(({ text }) => text).join("\n"),
    isCut: lines.some(({ isCut }) => isCut),
  };
}
