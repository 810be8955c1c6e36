import type { Db } from "../../store/database/database.ts";
import { findPassword } from "../../store/users/passwords-table.ts";
import {
  findProviderSession,
  type ProviderSession,
} from "../../store/users/provider-sessions-table.ts";
import { refreshEveryMs } from "./follow-sign-in.ts";

/** For how long after a call a user is refreshed. */
export const watchedMs = 600_000;
/** How long a call waits for the provider, at most. */
const waitMsMax = 2_000;
/** How often a waiting call looks for the refresh of another server. */
const lookEveryMs = 100;
/** How often a refused user who calls is looked up again. */
const lookAgainMs = 2_000;
const refreshesAtOnce = 8;
const usersMax = 50_000;

type WatchDeps = {
  db: Db;
  now: () => number;
  issuer: string;
  /** The provider's name in refusals. */
  name: string;
  /** Refreshes a user if it is due and no other server does so. */
  refresh(session: ProviderSession): Promise<void>;
  /** For how long what was known holds while the provider does not answer. */
  staleMs: number;
  /** Waits in real time; a test ends the wait at once. */
  sleep?: (ms: number) => Promise<void>;
};

/** A user who called within the last ten minutes. */
type Watched = {
  calledAt: number;
  /** When what is stored was read. */
  checkedAt: number;
  /** Null for a user who does not come from the provider. */
  session: ProviderSession | null;
};

export type ProviderWatch = {
  /**
   * Notes that a user calls. Null if the user may go on, else why not. What the provider said is at most a minute old, if it
   * answers within two seconds. A look at a map for most calls.
   */
  admit(userId: string): string | null | Promise<string | null>;
  /** Called when a session of the user at the provider began or ended here. */
  forget(userId: string): void;
  /** Refreshes the users who called lately, each at most once a minute on all servers. */
  refreshDue(isOver?: () => boolean): Promise<void>;
  /** How many users are followed. */
  count(): number;
};

/** Follows the users of a provider that pushes nothing, as long as they call. */
export function watchProvider(deps: WatchDeps): ProviderWatch {
  const { db, now, sleep = Bun.sleep } = deps;
  const users = new Map<string, Watched>();
  const updating = new Map<string, Promise<void>>();

  async function read(userId: string): Promise<ProviderSession | null> {
    const session = await findProviderSession(db, userId);
    if (session === null || session.issuer !== deps.issuer) return null;
    // A user with a password signs in here, too, so the provider does not decide on access.
    const password = await findPassword(db, userId);
    const isLocal = password?.hash != null && !password.mustChange;
    return isLocal ? { ...session, failedSince: null, refusesTokens: false } : session;
  }

  /** Reads what is stored, and has the provider asked if it is due. */
  async function update(userId: string): Promise<void> {
    const before = await read(userId);
    if (before !== null && isDue(before, now())) await deps.refresh(before);
    const session = before === null ? null : await read(userId);
    set(userId, session);
  }

  function set(userId: string, session: ProviderSession | null): void {
    const { calledAt } = users.get(userId) ?? { calledAt: now() };
    users.set(userId, { calledAt, checkedAt: now(), session });
  }

  /** One update of a user at a time. */
  function updateOnce(userId: string): Promise<void> {
    const running = updating.get(userId);
    if (running !== undefined) return running;
    const started = update(userId).finally(() => updating.delete(userId));
    updating.set(userId, started);
    return started;
  }

  async function enter(userId: string): Promise<string | null> {
    if (users.size >= usersMax) removeIdle(users, now());
    const settled = updateOnce(userId).then(() => waitForOthers(userId));
    // If the call does not wait for it any longer, the next one sees what it brings.
    settled.catch(() => {});
    await Promise.race([settled, sleep(waitMsMax)]);
    const known = users.get(userId);
    if (known !== undefined) known.calledAt = now();
    else set(userId, await read(userId));
    return explain(deps, users.get(userId)?.session ?? null, now());
  }

  /** Another server may be asking: what it brings is stored by it. */
  async function waitForOthers(userId: string): Promise<void> {
    for (let waited = 0; waited < waitMsMax; waited += lookEveryMs) {
      const session = users.get(userId)?.session ?? null;
      if (session === null || session.failedSince !== null) return;
      if (!isOld(session, now()) || session.nextAt <= now()) return;
      await sleep(lookEveryMs);
      set(userId, await read(userId));
    }
  }

  function isToCheck({ calledAt, checkedAt, session }: Watched, at: number): boolean {
    if (at - calledAt >= watchedMs) return true;
    if (session !== null && isDue(session, at)) return true;
    // A refused user may have signed in at another server.
    const isRefused = explain(deps, session, at) !== null;
    return at - checkedAt >= (isRefused ? lookAgainMs : refreshEveryMs);
  }

  return {
    admit(userId) {
      const at = now();
      const known = users.get(userId);
      if (known === undefined || isToCheck(known, at)) return enter(userId);
      known.calledAt = at;
      return explain(deps, known.session, at);
    },

    forget: (userId) => void users.delete(userId),

    async refreshDue(isOver = () => false) {
      const at = now();
      removeIdle(users, at);
      const due = [...users].filter(([, { session }]) => session !== null && isDue(session, at));
      const next = due.values();
      const work = async () => {
        for (const [userId] of next) {
          if (isOver()) return;
          await updateOnce(userId);
        }
      };
      await Promise.all(Array.from({ length: refreshesAtOnce }, work));
    },

    count: () => users.size,
  };
}

function removeIdle(users: Map<string, Watched>, at: number): void {
  for (const [userId, { calledAt }] of users) {
    if (at - calledAt >= watchedMs) users.delete(userId);
  }
}

function canRefresh({ sealed, endedAt }: ProviderSession): boolean {
  return sealed !== null && endedAt === null;
}

/** Whether the provider has not confirmed the user within the last minute. */
function isOld(session: ProviderSession, at: number): boolean {
  return canRefresh(session) && at - session.readAt >= refreshEveryMs;
}

function isDue(session: ProviderSession, at: number): boolean {
  return isOld(session, at) && session.nextAt <= at;
}

function explain(
  { name, staleMs }: Pick<WatchDeps, "name" | "staleMs">,
  session: ProviderSession | null,
  at: number,
): string | null {
  if (session === null) return null;
  if (session.endedAt !== null && session.refusesTokens) {
    return `Your sign-in at ${name} has ended. Sign in to the hub again in a browser, then repeat this.`;
  }
  if (session.failedSince !== null && at - session.failedSince >= staleMs) {
    return `${name} has not confirmed your account for too long, because it does not answer the hub. Try again later, or ask an admin.`;
  }
  return null;
}
