import { isAbsolute } from "node:path";
import { InvalidInputError } from "../../invalid-input-error.ts";
import { toJsonText } from "../../json.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { UpstreamError } from "../../upstream-error.ts";
import { wireErrorCodes } from "../wire/error-codes.ts";
import type { WireError } from "../wire/wire-messages.ts";

/** A result that cannot be written as JSON. */
export class ResultError extends Error {}

/** Invalid params from a version-1 host. */
export class ArgsError extends Error {}

export class UnknownOperationError extends Error {}

/** JavaScript's own errors, whose messages do not help the caller. */
const programmingErrors = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError];

/** Limits the chain of causes, which may be a cycle. */
const causesMax = 5;

/** Converts an error of a connector, so that the host can throw it again. */
export function toWireError(thrown: unknown): WireError {
  const stack = describeStack(thrown);
  if (thrown instanceof UpstreamError) {
    const { message, httpStatus, body, retryAfterS } = thrown;
    return {
      code: wireErrorCodes.upstream,
      message,
      stack,
      ...(httpStatus !== undefined && Number.isInteger(httpStatus) && { httpStatus }),
      ...(isWait(retryAfterS) && { retryAfterS }),
      ...(body !== undefined && { bodyJson: Buffer.from(toBodyText(body)) }),
    };
  }
  if (thrown instanceof OutboundError) {
    const code = `${wireErrorCodes.outboundPrefix}${thrown.code}`;
    return { code, message: thrown.message, stack, ...(thrown.isUnsent && { notSent: true }) };
  }
  if (thrown instanceof InvalidInputError) {
    const { message, issues } = thrown;
    return { code: wireErrorCodes.badArgs, message, stack, issues: [...issues] };
  }
  if (thrown instanceof ResultError) {
    return { code: wireErrorCodes.result, message: thrown.message, stack };
  }
  if (thrown instanceof ArgsError) {
    return { code: wireErrorCodes.badArgs, message: thrown.message, stack };
  }
  if (thrown instanceof UnknownOperationError) {
    return { code: wireErrorCodes.unknownOperation, message: thrown.message, stack };
  }
  if (
    !(thrown instanceof Error) ||
    isFileError(thrown) ||
    programmingErrors.some((kind) => thrown instanceof kind)
  ) {
    const message = "The plugin failed with an internal error. Its log has the details.";
    return { code: wireErrorCodes.internal, message, stack };
  }
  return { code: wireErrorCodes.thrown, message: thrown.message, stack };
}

const isWait = (seconds: number | undefined) => Number.isFinite(seconds) && Number(seconds) >= 0;

/** The message names a file of the plugin's machine, which clients must not see. */
function isFileError(thrown: Error): boolean {
  return "path" in thrown && typeof thrown.path === "string" && isAbsolute(thrown.path);
}

function toBodyText(body: unknown): string {
  try {
    return toJsonText(body);
  } catch {
    return JSON.stringify("The body cannot be written as JSON, so it is left out.");
  }
}

function describeStack(thrown: unknown): string {
  const stacks: string[] = [];
  try {
    let error = thrown;
    for (; error instanceof Error && stacks.length <= causesMax; error = error.cause) {
      stacks.push(error.stack ?? `${error.name}: ${error.message}`);
    }
    if (error !== undefined && !(error instanceof Error)) stacks.push(String(error));
  } catch {
    stacks.push("The thrown value cannot be described.");
  }
  return stacks.join("\ncaused by ");
}
