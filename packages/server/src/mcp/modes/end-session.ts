import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { InFlight } from "../replies/in-flight.ts";
import { type Sessions, sessionHeader } from "./mcp-sessions.ts";
import { protocolVersionHeader } from "./protocol-mode.ts";
import { isStatelessVersion } from "./protocol-versions.ts";

type EndDeps = { sessions: Sessions; inFlight: Pick<InFlight, "cancelSession"> };

/**
 * Answers DELETE: ends the session that the headers name, with its running requests. Throws if there is no such session.
 */
export function endSession(
  { sessions, inFlight }: EndDeps,
  { headers, caller }: { headers: Headers; caller: Caller },
): void {
  const id = headers.get(sessionHeader);
  // The stateless mode has no sessions, so DELETE is not allowed there.
  if (id === null || isStatelessVersion(headers.get(protocolVersionHeader))) {
    throw new HubError("method_not_allowed", "Send MCP messages by POST.");
  }
  const session = sessions.end(caller.userId, id);
  if (session === null) {
    throw new HubError("session_unknown", "This session does not exist or has already ended.");
  }
  inFlight.cancelSession({ owner: caller.userId, session: session.key });
}
