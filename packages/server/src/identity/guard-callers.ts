import { HubError } from "../errors.ts";
import type { ProviderWatch } from "./sso/watch-provider.ts";
import type { Doors } from "./trace-callers.ts";

/**
 * Asks the provider's watch about the user of each request. Tokens are refused with a sentence, and sessions that began at
 * the provider are over.
 */
export function guardCallers(doors: Doors, watch: Pick<ProviderWatch, "admit"> | null): Doors {
  if (watch === null) return doors;
  /** What `read` finds for a user who may go on. It reads again if the provider was asked: tags and role may have changed. */
  async function readAdmitted<Found>(
    userId: string,
    found: Found,
    read: () => Promise<Found | null>,
  ): Promise<Found | null> {
    const asked = watch?.admit(userId) ?? null;
    const refusal = await asked;
    if (refusal !== null) {
      throw new HubError("unauthorized", refusal, { detail: { reason: "not_confirmed" } });
    }
    return asked === null ? found : await read();
  }

  return {
    async authenticate(token, from) {
      const read = () => doors.authenticate(token, from);
      const caller = await read();
      return caller === null ? null : await readAdmitted(caller.userId, caller, read);
    },
    async authenticatePersonalToken(token) {
      const read = () => doors.authenticatePersonalToken(token);
      const bearer = await read();
      return bearer === null ? null : await readAdmitted(bearer.caller.userId, bearer, read);
    },
    sessions: {
      ...doors.sessions,
      async find(token) {
        const read = () => doors.sessions.find(token);
        const signedIn = await read();
        if (signedIn === null) return null;
        try {
          return await readAdmitted(signedIn.user.id, signedIn, read);
        } catch (thrown) {
          if (!(thrown instanceof HubError)) throw thrown;
          // A session that began with a password is not the provider's to end.
          return signedIn.isFromProvider === true ? null : signedIn;
        }
      },
    },
  };
}
