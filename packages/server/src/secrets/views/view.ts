import type { Span } from "../value-tokens/token-format.ts";

/**
 * A text after some decoding, with the positions in the original text. It contains only the parts
 * near a change; elsewhere it equals the original.
 */
export type View = {
  text: string;
  /** The parts of the view's text, as pairs of start and end. */
  windows: readonly number[];
  /** The span of the original text that became this span of the view. */
  toSource(span: Span): Span;
  /** The view before its lines were joined; null if this view is not joined. */
  unjoined: Unjoined | null;
};

/** A view with line breaks. `toSpan` maps a span of the joined view to a span of this view. */
export type Unjoined = { view: View; toSpan(span: Span): Span };

/** Counts the characters that are read, so that tests can show linear work without a clock. */
export type Work = { steps: number };

export type ViewOptions = {
  /**
   * The length of the longest needle. A match that an escape affects cannot reach farther from it.
   */
  needleCharsMax: number;
  work: Work;
};

/** The view of a whole text as it is. */
export function createView(text: string): View {
  return { text, windows: [0, text.length], toSource: (span) => span, unjoined: null };
}
