import {
  InvalidInputError,
  OutboundError,
  type OutboundErrorCode,
  parseJson,
  UpstreamError,
} from "@hub/connector";
import { type WireError, wireErrorCodes } from "@hub/connector/plugin";
import { HubError } from "../../errors.ts";
import { checkJson } from "../../lib/json/check-json.ts";
import { loopBytesMax } from "../../lib/limits/answer-limits.ts";
import { UnreadBody } from "../../lib/streams/unread-body.ts";

const stackLengthMax = 64 * 1024;

/** The error that the connector threw inside the plugin, to be thrown again here. */
export function fromWireError(error: WireError): Error {
  const thrown = toThrown(error);
  // For the log, which seals it like the stacks of built-in connectors. A part of a secret could not be found in
  // a part of the stack, so a long one is left out as a whole.
  if (error.stack && error.stack.length <= stackLengthMax) thrown.stack = error.stack;
  return thrown;
}

function toThrown({
  code,
  message,
  httpStatus,
  bodyJson,
  issues = [],
  notSent = false,
  retryAfterS,
}: WireError): Error {
  if (code === wireErrorCodes.upstream) {
    const body = findBody(bodyJson);
    return new UpstreamError(message, {
      ...(httpStatus && { httpStatus }),
      ...(body !== undefined && { body }),
      ...(typeof retryAfterS === "number" && { retryAfterS }),
    });
  }
  if (code === wireErrorCodes.badArgs && issues.length > 0) return new InvalidInputError(issues);
  if (code === wireErrorCodes.result) {
    return new HubError(
      "upstream_error",
      "The operation's result is cyclic or nested too deeply for JSON. The connector must return plain data. Report this to the connector's author.",
    );
  }
  if (code === wireErrorCodes.tooLarge) return toTooLarge();
  // A fault in the connector's code. Every error class of JavaScript marks it as such.
  if (code === wireErrorCodes.internal) return new TypeError(message);
  const outbound = outboundCodes.find((name) => code === wireErrorCodes.outboundPrefix + name);
  return outbound === undefined
    ? new Error(message)
    : new OutboundError(outbound, message, { isUnsent: notSent });
}

/** The error for a message above the size limit. */
export function toTooLarge(cause?: unknown): HubError {
  return new HubError(
    "upstream_error",
    "The plugin sent more data at once than the hub accepts. Request less data at a time.",
    { cause },
  );
}

const outboundCodes: readonly OutboundErrorCode[] = [
  "bad_url",
  "blocked",
  "body_too_large",
  "dns",
  "network",
  "timeout",
  "too_many_redirects",
];

function findBody(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined;
  // The body of a failure is cut to 16 KiB, so a large one is not parsed here.
  if (bytes.length > loopBytesMax) return new UnreadBody(bytes, { kind: "json" });
  try {
    const text = Buffer.from(bytes).toString("utf8");
    checkJson(text);
    return parseJson(text);
  } catch {
    return undefined;
  }
}
