import type { Caller } from "../caller.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { PersonalBearer, RequestAddress } from "./authenticate-bearer.ts";
import type { Sessions } from "./browser-sessions.ts";
import { isActive } from "./to-caller.ts";

/** The doors of users: tokens and browser sessions. */
export type Doors = {
  authenticate(token: string, from: RequestAddress): Promise<Caller | null>;
  authenticatePersonalToken(token: string): Promise<PersonalBearer | null>;
  sessions: Sessions;
};

/**
 * Admits the trace context of requests with a valid token or session. Attack: a stranger would
 * attach spans to a trace of another user, or force the hub to record all of their requests.
 */
export function traceCallers(
  doors: Doors,
  tracing: Pick<Tracing, "admit" | "isActive"> | null,
): Doors {
  if (tracing === null) return doors;
  async function admitOwner(token: string, from: RequestAddress): Promise<Caller | null> {
    const caller = await doors.authenticate(token, from);
    if (caller !== null) tracing?.admit(caller.userId);
    return caller;
  }
  return {
    authenticate: (token, from) =>
      tracing.isActive() ? admitOwner(token, from) : doors.authenticate(token, from),
    async authenticatePersonalToken(token) {
      const bearer = await doors.authenticatePersonalToken(token);
      if (bearer !== null) tracing.admit(bearer.caller.userId);
      return bearer;
    },
    sessions: {
      ...doors.sessions,
      async find(token) {
        const signedIn = await doors.sessions.find(token);
        if (signedIn !== null && isActive(signedIn.user) && !signedIn.mustChangePassword) {
          tracing.admit(signedIn.user.id);
        }
        return signedIn;
      },
    },
  };
}
