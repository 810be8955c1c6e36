import { type Json, toJsonText } from "@hub/connector";
import { cutJson } from "../../lib/cut-json.ts";
import { cutSealedText } from "../../operations/cut-sealed-text.ts";
import type { RunMask, UsedRow } from "./run-mask.ts";
import { refuseStep } from "./step-failure.ts";

/** The whole output of a node, as JSON. */
export const outputBytesMax = 1024 * 1024;
/** What of inputs is kept for display. */
const inputBytesMax = 64 * 1024;

/** Turns values into the texts that steps are stored with: sealed, and cut to size. */
export type StepSealer = {
  /** The value without secrets, as later nodes read it. */
  seal(value: Json): Json;
  /** From now on, the secrets of a row are masked in every step. */
  useRow(row: UsedRow): void;
  /** Values that are tokens in it are masked in later steps. */
  toOutputText(sealed: Json): string;
  /** Throws for tokens that a template has put together. */
  toInputText(value: Json): string;
  sealMessage(message: string): string;
};

export function createStepSealer(mask: RunMask): StepSealer {
  const { seal, sealText } = mask;
  return {
    seal,
    useRow: mask.addRow,
    toOutputText(sealed) {
      const text = toJsonText(sealed);
      if (Buffer.byteLength(text) > outputBytesMax) {
        throw refuseStep("The output of the node is larger than 1 MiB. Return less.");
      }
      mask.noteTokens(text);
      return text;
    },
    toInputText(value) {
      const first = seal(value);
      const firstText = toJsonText(first);
      // Before sealing, which makes tokens.
      mask.checkTokens(first === value ? firstText : toJsonText(value));
      // A token in the body of the workflow becomes known here.
      const isNew = mask.noteTokens(firstText);
      const sealed = isNew ? seal(value) : first;
      const text = isNew ? toJsonText(sealed) : firstText;
      if (text.length <= inputBytesMax / 4 || Buffer.byteLength(text) <= inputBytesMax) return text;
      return toJsonText(cutJson(sealed, inputBytesMax, cutSealedText));
    },
    sealMessage: sealText,
  };
}
