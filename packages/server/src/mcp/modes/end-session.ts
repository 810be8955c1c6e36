import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { type Sessions, sessionHeader } from "./mcp-sessions.ts";
import { protocolVersionHeader } from "./protocol-mode.ts";
import { isStatelessVersion } from "./protocol-versions.ts";

/** Answers DELETE: ends the session that the headers name. Throws if there is no such session. */
export function endSession(
  { sessions }: { sessions: Sessions },
  { headers, caller }: { headers: Headers; caller: Caller },
): void {
  const id = headers.get(sessionHeader);
  // The stateless mode has no sessions, so DELETE is not allowed there.
  if (id === null || isStatelessVersion(headers.get(protocolVersionHeader))) {
    throw new HubError("method_not_allowed", "Send MCP messages by POST.");
  }
  if (!sessions.end(caller.userId, id)) {
    throw new HubError("session_unknown", "This session does not exist or has already ended.");
  }
}
