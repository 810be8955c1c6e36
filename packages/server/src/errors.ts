import { cutIssuePath, describeIssues, type Issue } from "@hub/connector";

/** One row per failure code. */
type ErrorRow = {
  /** HTTP status of an answer with this failure. */
  httpStatus: number;
  /** Code of a JSON-RPC error with this failure. */
  rpcCode: number;
  /** Status that the audit row of such a call gets. */
  runStatus: "denied" | "error" | "cancelled";
};

/** code → HTTP status, JSON-RPC code and audit status: the only such table in the hub. */
export const errorTable = {
  // Failures inside a tool: results with `isError: true`. Of the first four calls nothing has run, and `detail` is a `PendingDetail`.
  approval_required: { httpStatus: 403, rpcCode: -32602, runStatus: "denied" },
  needs_account: { httpStatus: 409, rpcCode: -32602, runStatus: "denied" },
  operation_changed: { httpStatus: 409, rpcCode: -32602, runStatus: "denied" },
  still_running: { httpStatus: 409, rpcCode: -32602, runStatus: "denied" },
  /** The outside system asks the user before it answers. The answers come with the same call. */
  input_required: { httpStatus: 409, rpcCode: -32602, runStatus: "denied" },
  not_found: { httpStatus: 404, rpcCode: -32602, runStatus: "denied" },
  operation_disabled: { httpStatus: 403, rpcCode: -32602, runStatus: "denied" },
  destructive_operation: { httpStatus: 403, rpcCode: -32602, runStatus: "denied" },
  refused_by_rule: { httpStatus: 403, rpcCode: -32602, runStatus: "denied" },
  nested_script: { httpStatus: 403, rpcCode: -32602, runStatus: "denied" },
  connector_disabled: { httpStatus: 403, rpcCode: -32602, runStatus: "denied" },
  needs_setup: { httpStatus: 409, rpcCode: -32602, runStatus: "error" },
  invalid_params: { httpStatus: 422, rpcCode: -32602, runStatus: "error" },
  token_invalid: { httpStatus: 422, rpcCode: -32602, runStatus: "denied" },
  rate_limited: { httpStatus: 429, rpcCode: -32603, runStatus: "denied" },
  timeout: { httpStatus: 504, rpcCode: -32603, runStatus: "error" },
  cancelled: { httpStatus: 499, rpcCode: -32603, runStatus: "cancelled" },
  upstream_error: { httpStatus: 502, rpcCode: -32603, runStatus: "error" },
  plugin_unavailable: { httpStatus: 503, rpcCode: -32603, runStatus: "error" },
  unavailable: { httpStatus: 503, rpcCode: -32603, runStatus: "error" },
  insufficient_storage: { httpStatus: 507, rpcCode: -32603, runStatus: "denied" },
  internal: { httpStatus: 500, rpcCode: -32603, runStatus: "error" },
  code_failed: { httpStatus: 422, rpcCode: -32603, runStatus: "error" },
  run_failed: { httpStatus: 500, rpcCode: -32603, runStatus: "error" },
  // Invalid messages: JSON-RPC errors.
  parse_error: { httpStatus: 400, rpcCode: -32700, runStatus: "error" },
  invalid_request: { httpStatus: 400, rpcCode: -32600, runStatus: "error" },
  method_not_found: { httpStatus: 200, rpcCode: -32601, runStatus: "error" },
  malformed_params: { httpStatus: 200, rpcCode: -32602, runStatus: "error" },
  unknown_tool: { httpStatus: 200, rpcCode: -32602, runStatus: "denied" },
  // Invalid messages in MCP's stateless mode.
  malformed_meta: { httpStatus: 400, rpcCode: -32602, runStatus: "error" },
  header_mismatch: { httpStatus: 400, rpcCode: -32020, runStatus: "denied" },
  version_unsupported: { httpStatus: 400, rpcCode: -32022, runStatus: "error" },
  capability_missing: { httpStatus: 400, rpcCode: -32021, runStatus: "denied" },
  // A call that waits, told to a client of the session mode that opens pages.
  url_elicitation_required: { httpStatus: 200, rpcCode: -32042, runStatus: "denied" },
  // Refusals over HTTP, before a message is read.
  unauthorized: { httpStatus: 401, rpcCode: -32600, runStatus: "denied" },
  forbidden: { httpStatus: 403, rpcCode: -32600, runStatus: "denied" },
  insufficient_scope: { httpStatus: 403, rpcCode: -32600, runStatus: "denied" },
  /** The user of the session must prove again who they are, at `detail.address`; then the same request is answered. */
  fresh_sign_in_required: { httpStatus: 403, rpcCode: -32600, runStatus: "denied" },
  session_unknown: { httpStatus: 404, rpcCode: -32600, runStatus: "denied" },
  method_not_allowed: { httpStatus: 405, rpcCode: -32600, runStatus: "denied" },
  body_too_slow: { httpStatus: 408, rpcCode: -32600, runStatus: "denied" },
  body_too_large: { httpStatus: 413, rpcCode: -32600, runStatus: "denied" },
  unsupported_media_type: { httpStatus: 415, rpcCode: -32600, runStatus: "denied" },
  // Errors in an admin's command or request.
  bad_request: { httpStatus: 400, rpcCode: -32602, runStatus: "error" },
  conflict: { httpStatus: 409, rpcCode: -32602, runStatus: "error" },
  plugin_refused: { httpStatus: 422, rpcCode: -32602, runStatus: "error" },
  bad_configuration: { httpStatus: 500, rpcCode: -32603, runStatus: "error" },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** Failures outside the hub's and the connectors' code. They are logged without a stack. */
export function isOutsideFailure(code: ErrorCode): boolean {
  return code === "upstream_error" || code === "timeout" || code === "plugin_unavailable";
}

type HubErrorOptions = {
  /** Extra members of the public answer, such as `issues` or `http_status`. */
  detail?: Record<string, unknown>;
  /** The underlying error, for the log only. */
  cause?: unknown;
  /** The message with paths of this machine, for the log and the command line only. */
  localMessage?: string;
};

/** The hub's only error class. `message` is public and says what to do next. */
export class HubError extends Error {
  override readonly name = "HubError";
  readonly code: ErrorCode;
  readonly detail: Record<string, unknown>;
  readonly localMessage: string | null;

  constructor(code: ErrorCode, publicMessage: string, options: HubErrorOptions = {}) {
    super(publicMessage, { cause: options.cause });
    this.code = code;
    this.detail = options.detail ?? {};
    this.localMessage = options.localMessage ?? null;
  }
}

/** The error for invalid params, with its issues. */
export function toInvalidParams(issues: readonly Issue[]): HubError {
  const message = `Check the params and call again: ${describeIssues(issues)}`;
  return new HubError("invalid_params", message, { detail: toIssuesDetail(issues) });
}

/** An error with more issues would be as long as what the caller sent. */
const issuesMax = 100;

/** The `detail` of an error with these issues: the first 100, and the number of the others. */
export function toIssuesDetail(issues: readonly Issue[]): {
  issues: Issue[];
  issues_left_out?: number;
} {
  const kept = issues
    .slice(0, issuesMax)
    .map((issue) => ({ ...issue, path: cutIssuePath(issue.path) }));
  const leftOut = issues.length - kept.length;
  return leftOut > 0 ? { issues: kept, issues_left_out: leftOut } : { issues: kept };
}

/** Converts a thrown value into a HubError; other errors become `internal`. */
export function toHubError(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown;
  return new HubError(
    "internal",
    "An internal error occurred in the hub. Try again. If it happens again, ask an admin to check the log.",
    { cause: thrown },
  );
}
