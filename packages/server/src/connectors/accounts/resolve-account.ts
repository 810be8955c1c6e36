import { findMissing } from "@hub/connector";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import { HubError, toInvalidParams } from "../../errors.ts";
import { isOutside, openAtRest } from "../../secrets/at-rest/at-rest.ts";
import { findRing } from "../../secrets/at-rest/find-ring.ts";
import { toAccountLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { UserAccount } from "../../store/accounts/user-account.ts";
import { readOwnAccounts } from "../../store/accounts/user-accounts-table.ts";
import type { Db } from "../../store/database/database.ts";
import type { RegisteredConnector } from "../connector-port.ts";
import type { RowConfig } from "../rows/open-row-config.ts";
import type { Row } from "../rows/row-directory.ts";
import { toPlainTexts } from "../rows/to-plain-texts.ts";
import { findAccountFault } from "./account-fault.ts";
import { type OwnAccount, toOwnAccount } from "./own-account.ts";
import { findAccountKind } from "./personal-fields.ts";

export type AccountDeps = { db: Db; ring: RingHolder; now(): number };

/** Whose access a call uses. Null if its row has no accounts of users. */
export type UsedAccount = OwnAccount | { kind: "shared" } | null;

/** A call that needs the access of its user. */
export type AccountQuestion = {
  caller: Pick<Caller, "userId">;
  row: Row;
  connector: RegisteredConnector;
  /** The label that the caller named. */
  account?: string | undefined;
  /** Whether the caller makes the call: no schedule, webhook, chat or failure of a workflow. */
  isByHand: boolean;
};

export type ResolvedAccount = { row: Row; used: UsedAccount };

/**
 * The row as a call of this user uses it. Rows with shared access take no query. Throws `needs_account`, also for an account
 * that works no longer: then the row's own access is not used in its place. Throws `invalid_params` for a label that the
 * user does not have, and without one if there are several.
 */
export async function resolveAccount(
  deps: AccountDeps,
  question: AccountQuestion,
): Promise<ResolvedAccount> {
  const { row, connector, account: label } = question;
  if (row.access === "shared" && label === undefined) return { row, used: null };
  const kind = findAccountKind(connector, row.record);
  if (kind === null) {
    if (label === undefined) return { row, used: null };
    throw refuseLabel("is not used by this row, which has no accounts of its users. Leave it out");
  }
  const { userId } = question.caller;
  const { accounts, hadOne } = await readOwnAccounts(deps.db, { userId, rowId: row.id });
  if (
    !hadOne &&
    row.access === "own_else_shared" &&
    label === undefined &&
    hasShared(connector, row)
  ) {
    return { row, used: { kind: "shared" } };
  }
  if (!question.isByHand) throw new HubError("needs_account", toUnattended(row));
  const chosen = chooseAccount(question, accounts);
  const fault = findAccountFault(chosen, { row, connector, kind, now: deps.now() });
  if (fault !== null) throw toNeedsAccount(row, fault);
  return {
    row: await openAccountRow(deps, row, chosen),
    used: toOwnAccount(chosen),
  };
}

/**
 * The row for a question of this user that is no operation, such as a discovery: with the user's first account that works,
 * else with the row's own access, which other users than admins have only where their calls have it. Throws `needs_account`
 * if there is neither.
 */
export async function resolveQuestionAccount(
  deps: AccountDeps,
  { userId, role }: Pick<Caller, "userId" | "role">,
  { row, connector }: Pick<AccountQuestion, "row" | "connector">,
): Promise<ResolvedAccount> {
  const kind = findAccountKind(connector, row.record);
  if (kind === null) return { row, used: null };
  const { accounts, hadOne } = await readOwnAccounts(deps.db, { userId, rowId: row.id });
  const present = { row, connector, kind, now: deps.now() };
  const working = accounts.find((account) => findAccountFault(account, present) === null);
  if (working !== undefined) {
    return { row: await openAccountRow(deps, row, working), used: toOwnAccount(working) };
  }
  const mayShare = role === "admin" || (row.access === "own_else_shared" && !hadOne);
  if (mayShare && hasShared(connector, row)) return { row, used: { kind: "shared" } };
  throw toNeedsAccount(row, "neither you nor the row has one that works");
}

/** Whether the row's own access is set up. */
export function hasShared(
  connector: Pick<RegisteredConnector, "configFields" | "needsConnection">,
  { record }: Pick<Row, "record">,
): boolean {
  if (connector.needsConnection?.(toPlainTexts(record)) === true) {
    return record.connectionId !== null;
  }
  const texts = Object.fromEntries(
    record.values.map(({ key, value, sealed }) => [key, sealed === null ? value : "[secret]"]),
  );
  return !findMissing(connector.configFields, texts).some((field) => field.personal);
}

function chooseAccount(
  { row, account: label }: AccountQuestion,
  accounts: readonly UserAccount[],
): UserAccount {
  const [first, ...others] = accounts;
  if (first === undefined) throw toNeedsAccount(row, "you have not connected one");
  const labels = accounts.map((account) => `"${account.label}"`).join(", ");
  if (label !== undefined) {
    const found = accounts.find((account) => account.label === label);
    if (found !== undefined) return found;
    throw refuseLabel(`is not the label of an account of yours in this row. Use one of ${labels}`);
  }
  if (others.length === 0) return first;
  throw refuseLabel(
    `is needed, because you have several accounts in this row. Use one of ${labels}`,
  );
}

function refuseLabel(message: string): HubError {
  return toInvalidParams([{ path: "account", message }]);
}

/** The page on which a user connects an account in a row. */
export function toAccountPath(rowId: string): string {
  return `/profile/accounts?row=${rowId}`;
}

export function toNeedsAccount({ id, label }: Pick<Row, "id" | "label">, reason: string): HubError {
  const path = toAccountPath(id);
  const problem = `"${label}" needs an account of yours, and ${reason}.`;
  return new HubError(
    "needs_account",
    `${problem} Connect it at ${path} on the pages of this hub, then call again.`,
    {
      detail: { path, row_id: id, problem, reason: "account", decider: "you", run_by_repeat: true },
    },
  );
}

function toUnattended({ label }: Row): string {
  return `"${label}" needs an account of the workflow's owner. Accounts of users are used only in runs that their owner started by hand. Start the run by hand, or ask an admin for a row with shared access.`;
}

const secretSchema = z.object({ values: z.record(z.string(), z.string()) });

/** What is sealed in an account of kind `token`: texts by field key. Opens for its user, row and account alone. */
export function openAccountTexts(
  ring: KeyRing,
  account: Pick<UserAccount, "id" | "userId" | "rowId" | "sealed">,
): Record<string, string> {
  const text = openAtRest(ring, toAccountLocation(account), account.sealed);
  return secretSchema.parse(JSON.parse(text)).values;
}

/** The configurations of accounts, as long as their rows do not change. */
const opened = new WeakMap<Row, Map<string, RowConfig>>();
/** Of one row. */
const openedMax = 500;

/** The row with an account of a user in the place of its own access. */
async function openAccountRow(deps: AccountDeps, row: Row, account: UserAccount): Promise<Row> {
  const { id, kind, userId, usedAt } = account;
  const tokensId = toGrantVersion(account);
  const config = await openConfig(deps, row, account);
  return {
    ...row,
    config: () => config,
    // The tokens of the row's own connection are for the row's own access alone.
    connectionId: null,
    account: { id, tokensId, kind, userId, usedAt, row },
  };
}

/** The refreshed tokens of a sign-in are of the same grant, so that sessions go on. */
function toGrantVersion({ kind, tokensId, connectedAt }: UserAccount): string {
  return kind === "oauth" ? `connected ${connectedAt}` : tokensId;
}

async function openConfig(
  { ring }: AccountDeps,
  row: Row,
  account: UserAccount,
): Promise<RowConfig> {
  const { id, kind } = account;
  const tokensId = toGrantVersion(account);
  const ofRow = opened.get(row) ?? new Map<string, RowConfig>();
  opened.set(row, ofRow);
  const name = `${id} ${tokensId}`;
  const known = ofRow.get(name);
  if (known !== undefined) return known;
  const config = row.openPersonal(
    kind === "token" ? openAccountTexts(await findRing(ring, account.sealed), account) : {},
  );
  // A secret that is kept outside the hub may change at any time.
  if (row.record.values.some(({ sealed }) => sealed !== null && isOutside(sealed))) return config;
  const [oldest] = ofRow.keys();
  if (ofRow.size >= openedMax && oldest !== undefined) ofRow.delete(oldest);
  ofRow.set(name, config);
  return config;
}
