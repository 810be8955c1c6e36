import type { Json } from "@hub/connector";
import type { Mask } from "../secrets/mask.ts";

/** Causes of causes; errors that point at each other would go on for ever. */
const depthMax = 5;

/**
 * What was thrown, as the log shows it. A connector's errors quote what it worked with, its
 * credential among it, so every text is sealed; members of its own that an error carries are left
 * out, since nobody knows what hangs on them.
 */
export function describeCause(mask: Pick<Mask, "sealText">, thrown: unknown, depth = 0): Json {
  if (!(thrown instanceof Error)) return mask.sealText(String(thrown));
  const stack = thrown.stack ?? `${thrown.name}: ${thrown.message}`;
  return {
    stack: mask.sealText(stack.includes(thrown.message) ? stack : `${thrown.message}\n${stack}`),
    ...(thrown.cause !== undefined &&
      depth < depthMax && { cause: describeCause(mask, thrown.cause, depth + 1) }),
  };
}
