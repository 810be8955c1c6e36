import type { Caller } from "../caller.ts";
import { HubError } from "../errors.ts";
import { toWatchedUser } from "./find-admitted.ts";
import type { ProviderWatch } from "./sso/watch-provider.ts";
import type { Doors } from "./trace-callers.ts";

/**
 * Asks the provider's watch about the user of each request, and about the owner of a service user. Tokens are refused with a sentence, and sessions that began at
 * the provider are over.
 */
export function guardCallers(doors: Doors, watch: Pick<ProviderWatch, "admit"> | null): Doors {
  if (watch === null) return doors;
  /** What `read` finds for a user who may go on. It reads again if the provider was asked: tags and role may have changed. */
  async function readAdmitted<Found>(
    user: Pick<Caller, "userId" | "ownerId">,
    found: Found,
    read: () => Promise<Found | null>,
  ): Promise<Found | null> {
    const asked = watch?.admit(toWatchedUser(user)) ?? null;
    const refusal = await asked;
    if (refusal !== null) {
      const isOwn = toWatchedUser(user) === user.userId;
      const message = isOwn ? refusal : `For the owner of this service user: ${refusal}`;
      throw new HubError("unauthorized", message, { detail: { reason: "not_confirmed" } });
    }
    return asked === null ? found : await read();
  }

  return {
    async authenticate(token, from) {
      const read = () => doors.authenticate(token, from);
      const caller = await read();
      return caller === null ? null : await readAdmitted(caller, caller, read);
    },
    async authenticatePersonalToken(token) {
      const read = () => doors.authenticatePersonalToken(token);
      const bearer = await read();
      return bearer === null ? null : await readAdmitted(bearer.caller, bearer, read);
    },
    sessions: {
      ...doors.sessions,
      async find(token) {
        const read = () => doors.sessions.find(token);
        const signedIn = await read();
        if (signedIn === null) return null;
        try {
          return await readAdmitted({ userId: signedIn.user.id }, signedIn, read);
        } catch (thrown) {
          if (!(thrown instanceof HubError)) throw thrown;
          // A session that began with a password is not the provider's to end.
          return signedIn.isFromProvider === true ? null : signedIn;
        }
      },
    },
  };
}
