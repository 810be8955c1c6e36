import type { Session } from "@hub/contract/session.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { HubError } from "../errors.ts";
import { createSessions } from "../identity/sessions.ts";
import type { Store } from "../store/open-store.ts";
import type { SessionRecord } from "../store/sessions.ts";
import { listUsers } from "../store/users.ts";
import type { ChangeRecorder } from "./change-recorder.ts";
import { findUser } from "./find-user.ts";

type SessionDeps = { store: Store; now: () => number; changes: ChangeRecorder };

/** Verbs on signed-in browsers. What ends is out at its next request, in every process. */
export function createSessionVerbs({ store, now, changes }: SessionDeps) {
  const sessions = createSessions({ db: store.db, now });

  return {
    /** Those of one user, or everybody's; newest first. */
    async list(filter: { user?: string } = {}): Promise<Session[]> {
      const users = await listUsers(store.db);
      const wanted = filter.user === undefined ? users : [await findUser(store.db, filter.user)];
      const found: Session[] = [];
      for (const user of wanted) {
        const own = await sessions.listOf(user.id);
        found.push(...own.map((session) => toSession(session, user.email)));
      }
      return found.toSorted((one, other) => other.created_at.localeCompare(one.created_at));
    },

    /** Throws `not_found` where there is none; `of` narrows it to a user's own. */
    async end(id: string, { of }: { of?: string } = {}): Promise<{ id: string }> {
      const owner = (await this.list(of === undefined ? {} : { user: of })).find(
        (session) => session.id === id.toLowerCase(),
      );
      if (owner === undefined) throw new HubError("not_found", "There is no such session.");
      const change = { action: "session.end", kind: "session", id: owner.id } as const;
      await store.transaction(async (trx) => {
        await createSessions({ db: trx, now }).end(owner.id);
        await changes.record(trx, { ...change, name: owner.user });
      });
      return { id: owner.id };
    },

    /** Ends all of a user's sessions, but for `except`; answers how many. */
    async endAll(email: string, options: { except?: string } = {}): Promise<{ ended: number }> {
      return store.transaction(async (trx) => {
        const user = await findUser(trx, email);
        const ended = await createSessions({ db: trx, now }).endAllOf(user.id, options);
        const change = { action: "session.end_all", kind: "user", id: user.id } as const;
        await changes.record(trx, { ...change, name: user.email, detail: { ended } });
        return { ended };
      });
    },
  };
}

function toSession(session: SessionRecord, user: string): Session {
  return {
    id: session.id,
    user,
    created_at: toTimeText(session.createdAt),
    last_seen_at: toTimeText(session.lastSeenAt),
    expires_at: toTimeText(session.expiresAt),
    ip_address: session.ipAddress,
    user_agent: session.userAgent,
  };
}
