/**
 * A row's secret that can be guessed must not be confirmed by what the hub itself writes. The mask
 * replaces a secret wherever it stands, also where a caller has sent it as a guess. So of the calls of a row
 * with a weak secret, the record and the hub's own errors have no text of the caller, and they are not
 * searched for the row's secrets: a right guess and a wrong one get the same words after the same work.
 * What the outside system answers is searched; `limit-guesses.ts` limits how often.
 */
import {
  type FieldSpec,
  type Issue,
  isJsonObject,
  OutboundError,
  type OutboundErrorCode,
} from "@hub/connector";
import { type ErrorCode, HubError, toInvalidParams } from "../../errors.ts";

type CallFacts = {
  /** Whether the connector may have been called. */
  hasBegun: boolean;
  inputFields: readonly FieldSpec[];
};

/**
 * The hub's own error without texts of the caller. Null if the outside system or the connector has
 * written the error, so that it must be searched for secrets.
 */
export function leaveTextsOut(failure: HubError, call: CallFacts): HubError | null {
  const { code, cause, detail } = failure;
  if (cause instanceof OutboundError) {
    return new HubError(code, describeOutbound(cause), { detail });
  }
  if (Array.isArray(detail.issues)) {
    return toInvalidParams(listIssues(detail.issues).map((issue) => toPlainIssue(issue, call)));
  }
  const isOwn = !call.hasBegun || ownCodes.has(code);
  return isOwn ? new HubError(code, failure.message, { detail }) : null;
}

/** Codes whose messages the hub writes, also after the connector was called. */
const ownCodes: ReadonlySet<ErrorCode> = new Set(["rate_limited", "timeout", "cancelled"]);

/** The sentence names no host: a caller may have chosen it. */
function describeOutbound({ code, cause }: OutboundError): string {
  const systemCode = isJsonObject(cause) ? cause.code : null;
  const reason =
    typeof systemCode === "string" && /^[A-Z_]{3,40}$/.test(systemCode) ? ` (${systemCode})` : "";
  return `${outboundSentences[code]}${reason}. The address is not named, because the row has a secret that can be guessed. Check the address in the call, and ask an admin to check the one in the row.`;
}

const outboundSentences: Record<OutboundErrorCode, string> = {
  bad_url: "The request was not sent, because its address is not valid",
  blocked: "The request was not sent, because connectors may not call its address",
  body_too_large: "The answer of the outside system is too large",
  dns: "The request was not sent, because its host name has no address",
  network: "The connection to the outside system failed",
  timeout: "The outside system did not answer in time",
  too_many_redirects: "The outside system redirects too often",
};

function listIssues(issues: readonly unknown[]): Issue[] {
  return issues.flatMap((issue) =>
    isJsonObject(issue) ? [{ path: String(issue.path), message: String(issue.message) }] : [],
  );
}

/** Issues of the hub's own check quote no value. Others may. */
function toPlainIssue({ path, message }: Issue, { hasBegun, inputFields }: CallFacts): Issue {
  const [beginning = ""] = /^[^.[]*/.exec(path) ?? [];
  const field = inputFields.find(({ key }) => key === beginning);
  if (field === undefined && !hasBegun && message.startsWith("is not known here")) {
    return { path: "", message: `A name ${message}` };
  }
  if (field === undefined) {
    return {
      path: "",
      message: "A name or value is not accepted; compare all with the input schema",
    };
  }
  return {
    path: field.key,
    message: hasBegun ? "is not accepted; compare it with the input schema" : message,
  };
}
