import type { Config } from "../../config.ts";
import type { Db } from "../../store/database/database.ts";
import { listSecondFactors } from "../../store/users/second-factors-table.ts";
import type { Doors } from "../trace-callers.ts";
import { needsFactor } from "./factor-step.ts";

/**
 * Ends sessions that began with a password alone, of users of whom the hub demands a second factor: a user who has become an
 * admin since, by whatever gave the role, sets one up at the next sign-in. It costs a query for each request of such users, and
 * nothing where no factor is demanded.
 */
export function demandFactors(
  doors: Doors,
  { db, config }: { db: Db; config: Pick<Config, "secondFactor"> },
): Doors {
  if (config.secondFactor === "optional") return doors;
  const { sessions } = doors;
  return {
    ...doors,
    sessions: {
      ...sessions,
      async find(token) {
        const signedIn = await sessions.find(token);
        if (signedIn === null || signedIn.isFromProvider === true) return signedIn;
        if (signedIn.hasPassword === false || !needsFactor(config, signedIn.user)) return signedIn;
        const factors = await listSecondFactors(db, signedIn.user.id);
        return factors.length > 0 ? signedIn : null;
      },
    },
  };
}
