import type { Json } from "@hub/connector";
import { containsText } from "@hub/connector";
import { HubError, isOutsideFailure } from "../../errors.ts";
import { cutJson } from "../../lib/json/cut-json.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import { cutSealedText } from "../masking/cut-sealed-text.ts";
import { sealTextBeginning } from "../masking/seal-beginning.ts";

type CauseMask = Pick<Mask, "sealText" | "cutText">;

/** Limits the chain of causes, which may be a cycle. */
const depthMax = 5;

/** An error may contain a server's whole answer, and each failed call writes a log line. */
const causeBytesMax = 16 * 1024;

/** A reason is a sentence, not a server's HTML page. */
const reasonBytesMax = 4 * 1024;

/**
 * What the log adds to a failed call's code and operation; null if there is nothing. A failure of
 * an outside system is logged without a stack, because the stack shows nothing new.
 */
export function describeFailedCall(
  mask: CauseMask,
  failure: HubError,
): { reason: string } | { err: Json } | null {
  if (isOutsideFailure(failure.code)) return { reason: describeReason(mask, failure) };
  return failure.cause === undefined ? null : { err: describeCause(mask, failure.cause) };
}

/**
 * The message, followed by the messages of its causes, such as `connect ECONNREFUSED
 * 192.0.2.7:443`.
 */
function describeReason(mask: CauseMask, failure: HubError): string {
  try {
    const sentences: string[] = [];
    let thrown: unknown = failure;
    for (let depth = 0; depth < depthMax && thrown instanceof Error; depth += 1) {
      const sentence = readMessage(thrown);
      if (!sentences.some((said) => containsText(said, sentence))) sentences.push(sentence);
      thrown = thrown.cause;
    }
    const sealed = sealTextBeginning(mask, sentences.join(" Cause: "), reasonBytesMax);
    return sealed.replace(/\s+/g, " ");
  } catch {
    return "The thrown value cannot be described.";
  }
}

/**
 * The thrown value for the log. A connector's errors may quote its credential, so every text is
 * sealed. Other members of an error are left out, because they can contain anything. This function
 * never throws, because the call is not recorded yet.
 */
export function describeCause(mask: CauseMask, thrown: unknown): Json {
  try {
    return cutJson(describe(mask, thrown, 0), causeBytesMax, cutSealedText);
  } catch {
    return "The thrown value cannot be described.";
  }
}

function describe(mask: CauseMask, thrown: unknown, depth: number): Json {
  const seal = (text: string) => sealTextBeginning(mask, text, causeBytesMax);
  if (!(thrown instanceof Error)) return seal(String(thrown));
  const message = readMessage(thrown);
  const stack = String(thrown.stack ?? `${thrown.name}: ${message}`);
  return {
    stack: seal(containsText(stack, message) ? stack : `${message}\n${stack}`),
    ...(thrown.cause !== undefined &&
      depth < depthMax && { cause: describe(mask, thrown.cause, depth + 1) }),
  };
}

/** The log may contain paths of the machine. */
function readMessage(thrown: Error): string {
  const local = thrown instanceof HubError ? thrown.localMessage : null;
  return local ?? String(thrown.message);
}
