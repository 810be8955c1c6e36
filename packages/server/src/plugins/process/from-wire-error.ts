import {
  InvalidInputError,
  OutboundError,
  type OutboundErrorCode,
  parseJson,
  UpstreamError,
} from "@hub/connector";
import { type WireError, wireErrorCodes } from "@hub/connector/plugin";
import { HubError } from "../../errors.ts";
import { loopBytesMax } from "../../lib/answer-limits.ts";
import { checkJson } from "../../lib/check-json.ts";
import { UnreadBody } from "../../lib/unread-body.ts";

/** What the connector threw inside the plugin, to be thrown again here: it has the same effect. */
export function fromWireError(error: WireError): Error {
  const thrown = toThrown(error);
  // For the log, which seals it as it seals the stacks of connectors compiled in.
  if (error.stack) thrown.stack = error.stack;
  return thrown;
}

function toThrown({ code, message, httpStatus, bodyJson, issues = [] }: WireError): Error {
  if (code === wireErrorCodes.upstream) {
    const body = findBody(bodyJson);
    return new UpstreamError(message, {
      ...(httpStatus && { httpStatus }),
      ...(body !== undefined && { body }),
    });
  }
  if (code === wireErrorCodes.badArgs && issues.length > 0) return new InvalidInputError(issues);
  if (code === wireErrorCodes.result) {
    return new HubError(
      "upstream_error",
      "The operation's result is cyclic or nested too deeply to be written as JSON; its connector has to return plain data.",
    );
  }
  if (code === wireErrorCodes.tooLarge) return toTooLarge();
  // A fault of the connector's code; any of JavaScript's own errors says so.
  if (code === wireErrorCodes.internal) return new TypeError(message);
  const outbound = outboundCodes.find((name) => code === wireErrorCodes.outboundPrefix + name);
  return outbound === undefined ? new Error(message) : new OutboundError(outbound, message);
}

/** What no message can hold. */
export function toTooLarge(cause?: unknown): HubError {
  return new HubError(
    "upstream_error",
    "The plugin sent more at once than the hub takes. Ask for less at a time.",
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
  // What comes with a failure is cut to 16 KiB; so much of it is not read for that.
  if (bytes.length > loopBytesMax) return new UnreadBody(bytes, { kind: "json" });
  try {
    const text = Buffer.from(bytes).toString("utf8");
    checkJson(text);
    return parseJson(text);
  } catch {
    return undefined;
  }
}
