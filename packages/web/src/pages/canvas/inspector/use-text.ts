import { useState } from "react";
import type { TextForm } from "./value-text.ts";

/**
 * The text of an input for a value. What was typed stays as it is, also where it gives no value yet; a
 * value from elsewhere, such as Undo, replaces it.
 */
export function useText(
  value: unknown,
  { toText, fromText }: TextForm,
  onChange: (value: unknown) => void,
): { text: string; problem: string | null; type: (text: string) => void } {
  const [state, setState] = useState({
    text: toText(value),
    value,
    problem: null as string | null,
  });
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
      if ("problem" in read) return setState({ text: typed, value, problem: read.problem });
      setState({ text: typed, value: read.value, problem: null });
      onChange(read.value);
    },
  };
}
