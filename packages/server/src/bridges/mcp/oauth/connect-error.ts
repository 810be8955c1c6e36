import { OutboundError } from "@hub/connector";
import { HubError } from "../../../errors.ts";

/** The codes of RFC 6749, 6750, 7591 and OpenID Connect. Other texts of a server are not repeated. */
const knownCodes = new Set([
  "access_denied",
  "consent_required",
  "interaction_required",
  "invalid_client",
  "invalid_client_metadata",
  "invalid_grant",
  "invalid_redirect_uri",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "login_required",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
]);

/** The code of an authorization server's refusal; null if it is not one of the standards. */
export function findKnownCode(code: unknown): string | null {
  return typeof code === "string" && knownCodes.has(code) ? code : null;
}

/**
 * A failure of an authorization server in the hub's words. Its own texts may contain codes and tokens,
 * so neither the message nor the log has them.
 */
export function toConnectError(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown;
  if (thrown instanceof OutboundError) return new HubError("upstream_error", thrown.message);
  const { name, code, status, body } = Object(thrown);
  if (name === "TimeoutError") {
    return new HubError(
      "upstream_error",
      "The servers did not answer in time. Try again later, or ask the operator of the MCP server.",
    );
  }
  if (name === "IssuerMismatchError") {
    return new HubError(
      "upstream_error",
      "The answer names another authorization server than the one that was asked. Nothing was sent to it. Ask the operator of the MCP server.",
    );
  }
  if (name === "RegistrationRejectedError") {
    const refusal = findKnownCode(findErrorOf(body));
    return new HubError(
      "upstream_error",
      `The authorization server refused to register the hub (${refusal ?? status}). Register it there by hand, and set client_id in the row.`,
    );
  }
  const known = findKnownCode(code);
  if (known !== null && known !== "server_error") {
    return new HubError(
      "upstream_error",
      `The authorization server refused the request (${known}). Connect the row again; if it fails again, check client_id, client_secret and scopes.`,
    );
  }
  return new HubError(
    "upstream_error",
    "The authorization server's answer is not valid. Try again later, or ask the operator of the MCP server.",
  );
}

function findErrorOf(body: unknown): unknown {
  try {
    return Object(JSON.parse(String(body))).error;
  } catch {
    return null;
  }
}
