import { listEndings } from "../../store/accounts/account-endings.ts";
import { type Check, type DoctorDeps, toCheck } from "./doctor-check.ts";

const namedMax = 10;
/** Providers fail for a moment. */
const attemptsOk = 3;

/** Removed accounts of users that are still to be ended at their providers. Nothing is shown without some. */
export async function checkAccounts({ store }: Pick<DoctorDeps, "store">): Promise<Check[]> {
  const endings = await listEndings(store.db, null);
  if (endings.length === 0) return [];
  const failing = endings.filter(({ attempts }) => attempts > attemptsOk);
  const message = `${endings.length} removed, and still to be ended where their users signed in`;
  if (failing.length === 0) return [toCheck("accounts", "ok", message)];
  const reasons = new Set(
    failing.map(({ rowLabel, failure }) => `"${rowLabel}": ${failure ?? "not tried yet."}`),
  );
  const shown = [...reasons].slice(0, namedMax).join(" ");
  return [toCheck("accounts", "warn", `${message}. ${shown}`)];
}
