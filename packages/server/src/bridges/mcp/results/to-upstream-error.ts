import { OutboundError, UpstreamError } from "@hub/connector";
import { HubError } from "../../../errors.ts";

/** A longer text is omitted: a cut could split a secret, and half a secret is not masked. */
const wordsCharsMax = 2000;

/** The failure of a call or a connect, in words for callers. Errors that have such words stay. */
export function toUpstreamError(thrown: unknown): Error {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof UpstreamError) return cause;
    if (cause instanceof HubError) return cause;
    if (cause instanceof OutboundError) return cause;
  }
  const { code, status } = readDetails(thrown);
  if (status !== undefined) {
    return toStatusError(status, { cause: thrown });
  }
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  const said = words.length > wordsCharsMax ? "Its message is too long to show." : words;
  if (typeof code === "number") {
    return new UpstreamError(`The MCP server refused the request (${code}): ${said}`, {
      cause: thrown,
    });
  }
  if (code === "CONNECTION_CLOSED") {
    return new UpstreamError("The MCP server closed the session during the call. Try again.", {
      cause: thrown,
    });
  }
  if (code === "INVALID_RESULT") {
    return new UpstreamError(
      "The MCP server sent a result that the protocol does not allow. Report this to the server's author.",
      { cause: thrown },
    );
  }
  // Its text is the list of all that the client library tried, for programmers.
  if (thrown instanceof Error && /^\$?ZodError$/.test(thrown.name)) {
    return new UpstreamError(
      "The MCP server sent a message that the protocol does not allow. Report this to the server's author.",
      { cause: thrown },
    );
  }
  if (code === "REQUEST_TIMEOUT") {
    return new UpstreamError("The MCP server did not answer in time. Try again later.", {
      cause: thrown,
    });
  }
  return new UpstreamError(`The MCP server could not be used: ${said}`, { cause: thrown });
}

/** The failure for an answer with a status that is no success. */
export function toStatusError(
  status: number,
  { retryAfterS, cause }: { retryAfterS?: number; cause?: unknown },
): UpstreamError {
  const wait = retryAfterS === undefined ? "" : ` It asks to wait ${retryAfterS} s.`;
  return new UpstreamError(`The MCP server answered ${status}. ${advise(status)}${wait}`, {
    httpStatus: status,
    ...(retryAfterS !== undefined && { retryAfterS }),
    cause,
  });
}

/** The HTTP status and the JSON-RPC code of an error of the client library. */
export function readDetails(thrown: unknown): {
  code: string | number | undefined;
  status: number | undefined;
  text: string;
} {
  let code: string | number | undefined;
  let status: number | undefined;
  let text = "";
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && code === undefined) {
      if (typeof cause.code === "string" || typeof cause.code === "number") code = cause.code;
    }
    const data = "data" in cause && typeof cause.data === "object" ? cause.data : null;
    for (const found of [cause, data]) {
      if (found === null || status !== undefined) continue;
      if ("status" in found && typeof found.status === "number") status = found.status;
    }
    if (data !== null && "text" in data && typeof data.text === "string") text ||= data.text;
  }
  return { code, status, text };
}

function advise(status: number): string {
  if (status === 401 || status === 403) {
    return "It refused the row's credentials. Ask an admin to check them.";
  }
  if (status === 404 || status === 405) {
    return "Ask an admin to check the row's address and transport.";
  }
  if (status >= 300 && status < 400) {
    return "It redirects to another address, and the hub does not follow. Ask an admin to set the row's address to the final one.";
  }
  if (status === 429) return "Too many calls. Wait, then try again.";
  return status >= 500 ? "It failed. Try again later." : "Ask an admin to check the row.";
}
