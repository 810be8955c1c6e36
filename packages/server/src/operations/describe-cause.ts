import type { Json } from "@hub/connector";
import { HubError, isOutsideFailure } from "../errors.ts";
import { cutJson } from "../lib/cut-json.ts";
import type { Mask } from "../secrets/mask.ts";
import { cutSealedText } from "./cut-sealed-text.ts";
import { sealTextBeginning } from "./seal-beginning.ts";

type CauseMask = Pick<Mask, "sealText" | "cutText">;

/** Causes of causes; errors that point at each other would go on for ever. */
const depthMax = 5;

/** A server's whole answer may hang on an error, and each failing call leaves a line. */
const causeBytesMax = 16 * 1024;

/** A sentence is for people; a server's page of HTML is not. */
const reasonBytesMax = 4 * 1024;

/**
 * What the log has to say of a failed call beside its code and operation; null where it says nothing.
 * What went wrong outside is one sentence: a stack would say where the hub asked, which is no news.
 */
export function describeFailedCall(
  mask: CauseMask,
  failure: HubError,
): { reason: string } | { err: Json } | null {
  if (isOutsideFailure(failure.code)) return { reason: describeReason(mask, failure) };
  return failure.cause === undefined ? null : { err: describeCause(mask, failure.cause) };
}

/** The sentence, and what lies beneath it where that says more: `connect ECONNREFUSED 192.0.2.7:443`. */
function describeReason(mask: CauseMask, failure: HubError): string {
  try {
    const sentences: string[] = [];
    let thrown: unknown = failure;
    for (let depth = 0; depth < depthMax && thrown instanceof Error; depth += 1) {
      const sentence = readMessage(thrown);
      if (!sentences.some((said) => said.includes(sentence))) sentences.push(sentence);
      thrown = thrown.cause;
    }
    const sealed = sealTextBeginning(mask, sentences.join(" Cause: "), reasonBytesMax);
    return sealed.replace(/\s+/g, " ");
  } catch {
    return "What was thrown cannot be described.";
  }
}

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
  const message = readMessage(thrown);
  const stack = String(thrown.stack ?? `${thrown.name}: ${message}`);
  return {
    stack: seal(stack.includes(message) ? stack : `${message}\n${stack}`),
    ...(thrown.cause !== undefined &&
      depth < depthMax && { cause: describe(mask, thrown.cause, depth + 1) }),
  };
}

/** The log may have paths of the machine. */
function readMessage(thrown: Error): string {
  const local = thrown instanceof HubError ? thrown.localMessage : null;
  return local ?? String(thrown.message);
}
