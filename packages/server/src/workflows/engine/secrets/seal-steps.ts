import { type Json, toJsonText } from "@hub/connector";
import type { HubError } from "../../../errors.ts";
import { cutJson } from "../../../lib/json/cut-json.ts";
import { cutSealedText } from "../../../operations/masking/cut-sealed-text.ts";
import { refuseStep } from "../step/step-failure.ts";
import { hasMoreChars } from "./has-text.ts";
import type { RunMask, UsedRow } from "./run-mask.ts";
import { largeChars } from "./seal-large.ts";

/** The whole output of a node, as JSON. */
export const outputBytesMax = 1024 * 1024;
/** What of inputs is kept for display. */
const inputBytesMax = 64 * 1024;
const messageBytesMax = 16 * 1024;

/** Turns values into the texts that steps are stored with: sealed, and cut to size. */
export type StepSealer = {
  /** The value without secrets, as later nodes read it. */
  seal(value: Json): Json;
  /** What a node sends to people, without secrets. Throws for tokens that a template has put together. */
  sealSent(value: Json): Promise<Json>;
  /** Cuts a text before it is sealed. A secret that the cut would split is left out. */
  cutText(text: string, bytesMax: number): string;
  /** The output of a node without secrets, and its text. Throws if it is larger than 1 MiB. */
  sealOutput(value: Json): Promise<{ output: Json; text: string }>;
  /** From now on, the secrets of a row are masked in every step. */
  useRow(row: UsedRow): void;
  /** Values that are tokens in it are masked in later steps. */
  toOutputText(sealed: Json): string;
  /** Throws for tokens that a template has put together. */
  checkTokens(value: Json): void;
  /** For rendered fields that passed `checkTokens`. */
  toInputText(value: Json): string;
  sealMessage(message: string): string;
};

export function createStepSealer(mask: RunMask): StepSealer {
  const { seal } = mask;
  const toOutputText = (sealed: Json) => {
    const text = toSizedText(sealed);
    mask.addTokens(text);
    return text;
  };
  const sealValue = async (value: Json) => {
    const { length } = toSizedText(value);
    return length > largeChars ? await mask.sealLarge(value) : seal(value);
  };
  return {
    seal,
    async sealSent(value) {
      mask.checkTokens(value);
      const sealed = await sealValue(value);
      // Those that replace secrets are new to the run.
      mask.addTokens(toJsonText(sealed));
      return sealed;
    },
    cutText: mask.cutText,
    async sealOutput(value) {
      const output = await sealValue(value);
      return { output, text: toOutputText(output) };
    },
    useRow: mask.addRow,
    toOutputText,
    checkTokens: mask.checkTokens,
    toInputText(value) {
      const cut = cutJson(value, inputBytesMax, mask.cutText);
      const first = seal(cut);
      const firstText = toJsonText(first);
      // A token of a row becomes known when the row is called.
      const isNew = mask.addTokens(firstText);
      const sealed = isNew ? seal(cut) : first;
      const text = isNew ? toJsonText(sealed) : firstText;
      if (text.length <= inputBytesMax / 4 || Buffer.byteLength(text) <= inputBytesMax) return text;
      return toJsonText(cutJson(sealed, inputBytesMax, cutSealedText));
    },
    sealMessage: (message) => mask.sealText(mask.cutText(message, messageBytesMax)),
  };
}

function toSizedText(value: Json): string {
  const text = toFittingText(value);
  if (text === null) throw refuseSize();
  return text;
}

/** The JSON of an output; null if it is larger than 1 MiB. */
export function toFittingText(value: Json): string | null {
  // Before it is written: a field can be a whole webhook of 10 MiB.
  if (hasMoreChars(value, outputBytesMax)) return null;
  const text = toJsonText(value);
  return Buffer.byteLength(text) <= outputBytesMax ? text : null;
}

function refuseSize(): HubError {
  return refuseStep("The output of the node is larger than 1 MiB. Return less.");
}
