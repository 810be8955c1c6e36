import { interruptions } from "./interruptions.ts";
import { joinLines } from "./join-lines.ts";
import { rewriteView } from "./rewrite-view.ts";
import { type EscapeKind, escapeKinds, quotedPrintable } from "./unescape.ts";
import { createView, type View, type ViewOptions } from "./view.ts";

/** The number of nested encodings that are decoded. */
const layersMax = 3;
/** Limits the sequences of three kinds of escapes, which an attacker could use to cost time. */
const thirdLayersMax = 8;

/**
 * Yields the text, then the text with up to three layers of escapes decoded. A view of several
 * lines is yielded with its lines joined, and has the view with its lines as `unjoined`. One kind of
 * escape is decoded at a time, in every order, because a secret may contain apparent escapes of
 * another kind. Views are made one at a time, because each may be as large as the text.
 */
export function* toViews(text: string, options: ViewOptions): Generator<View> {
  const original = createView(text);
  const join = (view: View) => joinLines(view, options) ?? view;
  yield join(original);
  for (const view of toLayers(original, options)) yield join(view);
  // Pages have so many tags that more layers would make them dear.
  const uninterrupted = undoEscapes(original, interruptions, options);
  if (uninterrupted !== null) yield join(uninterrupted);
  const lines = undoEscapes(original, quotedPrintable, options);
  if (lines === null) return;
  yield join(lines);
  yield* toLayers(lines, { ...options, layersMax: 1 });
}

/** The forms of a secret after layers of apparent escapes in it are decoded. */
export function decodeLayers(text: string): string[] {
  if (!/[\\%&]/.test(text)) return [text];
  const options = { needleCharsMax: text.length, work: { steps: 0 } };
  return [text, ...[...toLayers(createView(text), options)].map((view) => view.text)];
}

/**
 * The same for the beginning of a longer text, whose rest is unknown: orders of decoding that give the same
 * text here may differ there, so all of them are followed.
 */
export function decodeBeginning(text: string): string[] {
  /** The number of layers that were decoded in a text. */
  const layersOf = new Map<string, number>();
  const options = { needleCharsMax: text.length, work: { steps: 0 } };
  const descend = (form: string, layersLeft: number) => {
    if ((layersOf.get(form) ?? -1) >= layersLeft) return;
    layersOf.set(form, layersLeft);
    if (layersLeft === 0) return;
    for (const kind of escapeKinds) {
      const decoded = undoEscapes(createView(form), kind, options);
      if (decoded !== null) descend(decoded.text, layersLeft - 1);
    }
  };
  descend(text, layersMax);
  return [...layersOf.keys()];
}

function* toLayers(original: View, options: ViewOptions & { layersMax?: number }): Generator<View> {
  const kinds = escapeKinds.filter(({ mark }) => original.text.includes(mark));
  if (kinds.length === 0) return;
  // Most orders give the same text.
  const seen = new Set([original.text]);
  let thirdLayers = 0;
  function* descend(view: View, depth: number): Generator<View> {
    // Decoding can produce marks of every kind.
    for (const kind of depth === 1 ? kinds : escapeKinds) {
      if (depth === layersMax && thirdLayers === thirdLayersMax) return;
      const decoded = undoEscapes(view, kind, options);
      if (decoded === null || seen.has(decoded.text)) continue;
      if (depth === layersMax) thirdLayers += 1;
      seen.add(decoded.text);
      yield decoded;
      if (depth < (options.layersMax ?? layersMax)) yield* descend(decoded, depth + 1);
    }
  }
  yield* descend(original, 1);
}

/** The view with the escapes of one kind decoded; null if it has none. */
function undoEscapes(view: View, kind: EscapeKind, options: ViewOptions): View | null {
  return rewriteView(view, options, {
    find: (from) => kind.find(view.text, from),
    marks: kind.marks,
    read: (start, end, plain) => kind.read(view.text, start, end, plain),
  });
}
