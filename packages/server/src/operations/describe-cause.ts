import type { Json } from "@hub/connector";
import { cutJson } from "../lib/cut-json.ts";
import type { Mask } from "../secrets/mask.ts";
import { cutSealedText } from "./cut-sealed-text.ts";
import { sealTextBeginning } from "./seal-beginning.ts";

/** Causes of causes; errors that point at each other would go on for ever. */
const depthMax = 5;
type CauseMask = Pick<Mask, "sealText" | "cutText">;

/** A server's whole answer may hang on an error, and each failing call leaves a line. */
const causeBytesMax = 16 * 1024;

/**
 * What was thrown, as the log shows it. A connector's errors quote what it worked with, its
 * credential among it, so every text is sealed; members of its own that an error carries are left
 * out, since nobody knows what hangs on them. Never throws: the call has yet to be recorded.
 */
export function describeCause(mask: CauseMask, thrown: unknown): Json {
  try {
    return cutJson(describe(mask, thrown, 0), causeBytesMax, cutSealedText);
  } catch {
    return "What was thrown cannot be described.";
  }
}

function describe(mask: CauseMask, thrown: unknown, depth: number): Json {
  const seal = (text: string) => sealTextBeginning(mask, text, causeBytesMax);
  if (!(thrown instanceof Error)) return seal(String(thrown));
  const message = String(thrown.message);
  const stack = String(thrown.stack ?? `${thrown.name}: ${message}`);
  return {
    stack: seal(stack.includes(message) ? stack : `${message}\n${stack}`),
    ...(thrown.cause !== undefined &&
      depth < depthMax && { cause: describe(mask, thrown.cause, depth + 1) }),
  };
}
