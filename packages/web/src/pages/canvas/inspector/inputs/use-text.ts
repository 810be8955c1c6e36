import { useState } from "react";
import type { TextForm } from "./value-text.ts";

/** Keeps a text that gives no value while its input is not shown. */
export type TextKeeper = {
  find: (value: unknown) => { text: string; problem: string } | null;
  /** Null for a text that gives a value. */
  keep: (typed: { text: string; value: unknown; problem: string } | null) => void;
};

type TypedText = {
  text: string;
  problem: string | null;
  type: (text: string) => void;
  /** Goes back to the text of the value. */
  reset: () => void;
};

/**
 * The text of an input for a value. What was typed stays as it is, also where it gives no value yet; a
 * value from elsewhere, such as Undo, replaces it.
 */
export function useText(
  value: unknown,
  { toText, fromText }: TextForm,
  onChange: (value: unknown) => void,
  keeper: TextKeeper | null = null,
): TypedText {
  const [state, setState] = useState(() => ({
    text: toText(value),
    problem: null as string | null,
    ...keeper?.find(value),
    value,
  }));
  let { text, problem } = state;
  if (state.value !== value) {
    text = toText(value);
    problem = null;
    setState({ text, value, problem });
  }
  return {
    text,
    problem,
    type(typed) {
      const read = fromText(typed);
      if ("problem" in read) {
        keeper?.keep({ text: typed, value, problem: read.problem });
        return setState({ text: typed, value, problem: read.problem });
      }
      keeper?.keep(null);
      setState({ text: typed, value: read.value, problem: null });
      onChange(read.value);
    },
    reset() {
      keeper?.keep(null);
      setState({ text: toText(value), value, problem: null });
    },
  };
}
