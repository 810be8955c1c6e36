import { HubError } from "../errors.ts";
import { inTransaction } from "../store/in-transaction.ts";
import { findPassword, setPassword } from "../store/passwords.ts";
import { deleteSessionsOf } from "../store/sessions.ts";
import type { Db } from "../store/tables.ts";
import { findUserByEmail, findUserById, type User } from "../store/users.ts";
import { findPasswordFault, type Passwords, passwordCharsMax } from "./passwords.ts";
import type { Sessions, SignedIn } from "./sessions.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

type SignInDeps = {
  db: Db;
  passwords: Passwords;
  sessions: Pick<Sessions, "open" | "end">;
  throttle: SignInThrottle;
};

/** From where somebody comes. */
export type Visitor = { ipAddress: string | null; userAgent: string | null };

export type SignIn = ReturnType<typeof createSignIn>;

const minuteMs = 60_000;

/** Signing in by password, and changing it. */
export function createSignIn({ db, passwords, sessions, throttle }: SignInDeps) {
  function beginAttempt(account: string, { ipAddress }: Visitor): { succeed(): void } {
    const attempt = throttle.begin(account, ipAddress);
    if ("succeed" in attempt) return attempt;
    const minutes = Math.ceil(attempt.waitMs / minuteMs);
    throw new HubError(
      "rate_limited",
      `There were too many attempts. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`,
    );
  }

  /**
   * A check takes its time, above all in a queue. Whoever changed the password or disabled the user
   * meanwhile ended the sessions that there were then, and this one was not among them.
   */
  async function isStillRight(user: User, hash: string | null | undefined): Promise<boolean> {
    const present = await findUserById(db, user.id);
    if (present === null || present.status === "disabled") return false;
    return (await findPassword(db, user.id))?.hash === hash;
  }

  return {
    /**
     * Begins a session; resolves with its token, or null where e-mail or password are wrong. What is
     * not there, has no password, or is disabled answers the same after the same work.
     */
    async byPassword(
      given: { email: string; password: string },
      visitor: Visitor,
    ): Promise<string | null> {
      const email = given.email.trim().toLowerCase().slice(0, 254);
      const attempt = beginAttempt(email, visitor);
      const user = await findUserByEmail(db, email);
      const stored = user === null ? null : await findPassword(db, user.id);
      const password = given.password.slice(0, passwordCharsMax + 1);
      const isRight = await passwords.verify(password, stored?.hash ?? null);
      if (user === null || !isRight || user.status === "disabled") return null;
      attempt.succeed();
      const { id, token } = await sessions.open({ userId: user.id, ...visitor });
      if (await isStillRight(user, stored?.hash)) return token;
      await sessions.end(id);
      return null;
    },

    /**
     * Sets a new password, ends all of the user's sessions, and begins a new one; resolves with its
     * token, or with what is wrong.
     */
    async changePassword(
      { user }: SignedIn,
      given: { current: string; next: string; repeated: string },
      visitor: Visitor,
    ): Promise<{ token: string } | { field: "current" | "next" | "repeated"; fault: string }> {
      const attempt = beginAttempt(user.email, visitor);
      const stored = await findPassword(db, user.id);
      if (!(await passwords.verify(given.current, stored?.hash ?? null))) {
        return { field: "current", fault: "This is not the current password." };
      }
      attempt.succeed();
      const fault =
        given.next === given.current
          ? "Use a password other than the current one."
          : findPasswordFault(given.next, user);
      if (fault !== null) return { field: "next", fault };
      if (given.repeated !== given.next) {
        return { field: "repeated", fault: "This is not the same as the new password." };
      }
      const hash = await passwords.hash(given.next);
      const isChanged = await inTransaction(db, async (trx) => {
        // An admin who gave another one meanwhile has the last word.
        if ((await findPassword(trx, user.id))?.hash !== stored?.hash) return false;
        await setPassword(trx, user.id, { hash, mustChange: false });
        // Whoever may have known the old one is out, and no old session id stays in use.
        await deleteSessionsOf(trx, user.id);
        return true;
      });
      if (!isChanged) return { field: "current", fault: "This is not the current password." };
      const { token } = await sessions.open({ userId: user.id, ...visitor });
      return { token };
    },
  };
}
