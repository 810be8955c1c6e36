import { type Json, toJsonText } from "@hub/connector";
import { cutJson } from "../../lib/cut-json.ts";
import { cutSealedText } from "../../operations/cut-sealed-text.ts";
import type { Mask } from "../../secrets/mask.ts";
import { refuseStep } from "./step-failure.ts";

/** The whole output of a node, as JSON. */
export const outputBytesMax = 1024 * 1024;
/** What of inputs is kept for display. */
const inputBytesMax = 64 * 1024;

/** Turns values into the texts that steps are stored with: sealed, and cut to size. */
export type StepSealer = {
  /** The value without secrets, as later nodes read it. */
  seal(value: Json): Json;
  toOutputText(sealed: Json): string;
  toInputText(value: Json): string;
  sealMessage(message: string): string;
};

/** Without a mask, the run has no secrets. */
export function createStepSealer(mask: Pick<Mask, "sealJson" | "sealText"> | null): StepSealer {
  const seal = (value: Json) => (mask === null ? value : mask.sealJson(value));
  return {
    seal,
    toOutputText(sealed) {
      const text = toJsonText(sealed);
      if (Buffer.byteLength(text) <= outputBytesMax) return text;
      throw refuseStep("The output of the node is larger than 1 MiB. Return less.");
    },
    toInputText(value) {
      const sealed = seal(value);
      const text = toJsonText(sealed);
      if (text.length <= inputBytesMax / 4 || Buffer.byteLength(text) <= inputBytesMax) return text;
      return toJsonText(cutJson(sealed, inputBytesMax, cutSealedText));
    },
    sealMessage: (message) => (mask === null ? message : mask.sealText(message)),
  };
}
