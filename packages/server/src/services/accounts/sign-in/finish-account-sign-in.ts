import { z } from "zod";
import { toAddressText } from "../../../bridges/mcp/oauth/connect-target.ts";
import type { Attempt } from "../../../bridges/mcp/oauth/connection-secrets.ts";
import { isRedirectPath } from "../../../bridges/mcp/oauth/describe-client.ts";
import type { FinishedConnect } from "../../../bridges/mcp/oauth/finish-sign-in.ts";
import type { Caller } from "../../../caller.ts";
import type { Actor } from "../../../changes/actor.ts";
import { recordChange, stampChange } from "../../../changes/record-change.ts";
import { findPublisher } from "../../../connectors/accounts/bound-addresses.ts";
import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import { HubError, toHubError } from "../../../errors.ts";
import { isActive } from "../../../identity/to-caller.ts";
import { hashArtifactId, openArtifact } from "../../../oauth/storage/seal-artifact.ts";
import { toAccountLocation } from "../../../secrets/at-rest/secret-locations.ts";
import {
  type AccountConnect,
  takeAccountConnect,
} from "../../../store/accounts/account-connects.ts";
import { recordEndings } from "../../../store/accounts/account-endings.ts";
import type { UserAccount } from "../../../store/accounts/user-account.ts";
import {
  insertUserAccount,
  readOwnAccounts,
  removeUserAccount,
  replaceAccountSecret,
} from "../../../store/accounts/user-accounts-table.ts";
import type { Transaction } from "../../../store/database/database.ts";
import { removeClientFault } from "../../../store/rows/row-clients.ts";
import { storeSecrets } from "../../../store/settings/store-secrets.ts";
import type { ConnectDeps } from "../../rows/connection/load-connectable.ts";
import { loadVisibleRow } from "../../rows/load-row.ts";
import { loadUser } from "../../users/load-user.ts";
import { answerAccountCalls } from "../answer-account-calls.ts";
import { checkAccountsMax } from "../check-accounts-max.ts";
import { checkHosts } from "../check-hosts.ts";
import { signInModel } from "./begin-account-sign-in.ts";
import { endUnstored } from "./end-unstored.ts";
import { checkSignIn, loadSignIn } from "./load-sign-in.ts";

/** What a browser brought from an authorization server. */
export type BroughtAnswer = { path: string; answer: URLSearchParams };

const begunSchema = z.object({
  attempt: z.unknown(),
  hosts: z.array(z.string()),
  publisher: z.string(),
});

/** Takes the sign-in of this state out of those under way. Null if no user began one for an account. */
export async function takeSignIn(
  { store }: Pick<ConnectDeps, "store">,
  { answer }: BroughtAnswer,
): Promise<AccountConnect | null> {
  const state = answer.get("state") ?? "";
  return await takeAccountConnect(store.db, hashArtifactId(signInModel, state));
}

type By = { caller: Caller; actor: Actor; sessionId: string };

/**
 * Finishes a sign-in of a user: exchanges the code for tokens, and stores them as the user's account. Throws `forbidden` unless
 * this session of this user began it.
 */
export async function finishAccountSignIn(
  deps: ConnectDeps,
  by: By,
  taken: AccountConnect,
  brought: BroughtAnswer,
): Promise<{ rowId: string }> {
  const { now } = deps;
  const { caller } = by;
  const begun = openBegun(deps, by, taken, brought);
  const { readAttempt } = await import("../../../bridges/mcp/oauth/connection-secrets.ts");
  const attempt = readAttempt(begun.attempt);
  // Attack: a code that was given for one row is brought to the address of another one.
  if (!isRedirectPath(attempt, brought.path)) throw refuse();
  const { row, connector, target } = await loadSignIn(deps, caller, taken.rowId);
  checkHosts(connector, row, begun.hosts);
  if (
    findPublisher(connector) !== begun.publisher ||
    toAddressText(target.address) !== attempt.address
  ) {
    throw new HubError("conflict", "The row has changed during the sign-in. Connect again.");
  }
  const { finishConnect } = await import("../../../bridges/mcp/oauth/finish-sign-in.ts");
  const finished = await finishConnect({ policy: target.policy }, attempt, brought.answer, now);
  try {
    await storeAccount(deps, by, { taken, begun, attempt, finished, connector });
  } catch (thrown) {
    const unended: unknown = await endUnstored(deps, { taken, attempt, finished }).then(
      () => null,
      (failure) => failure,
    );
    throw unended === null ? thrown : addUnended(thrown, unended);
  }
  return { rowId: row.id };
}

/** The refusal stays, and its user hears that the access outside stays as well. */
function addUnended(thrown: unknown, unended: unknown): HubError {
  const { code, message, detail } = toHubError(thrown);
  return new HubError(
    code,
    `${message} The access that you have just given to the hub could not be ended. Remove it at the outside system.`,
    { detail, cause: new AggregateError([thrown, unended]) },
  );
}

type Begun = z.infer<typeof begunSchema>;

/** Attack: an attacker's answer in another user's browser would have that user work in the attacker's account. */
function openBegun(
  { now }: Pick<ConnectDeps, "now">,
  { caller, sessionId }: By,
  taken: AccountConnect,
  { answer }: BroughtAnswer,
): Begun {
  const isOwn = taken.userId === caller.userId && taken.sessionId === sessionId;
  if (!isOwn || taken.expiresAt <= now()) throw refuse();
  return begunSchema.parse(openArtifact(signInModel, answer.get("state") ?? "", taken.sealed));
}

type Stored = {
  taken: AccountConnect;
  begun: Begun;
  attempt: Attempt;
  finished: FinishedConnect;
  connector: RegisteredConnector;
};

async function storeAccount(
  deps: ConnectDeps,
  { caller, actor }: By,
  { taken, begun, attempt, finished, connector }: Stored,
): Promise<void> {
  const { store, ring, now } = deps;
  const { sealTokens } = await import("../../../bridges/mcp/oauth/connection-secrets.ts");
  const { userId } = caller;
  const { rowId, label } = taken;
  const at = now();
  const stamp = stampChange(actor, at);
  const { accounts } = await readOwnAccounts(store.db, { userId, rowId });
  const known = accounts.find((account) => account.label === label) ?? null;
  const { tokens, identity } = finished;
  // Another person outside is another account: what was approved or is to be ended for the former one is not this one's.
  const id = known?.identity === identity ? known.id : crypto.randomUUID();
  const secrets = { ...finished.secrets, address: attempt.address };
  const tokensId = crypto.randomUUID();
  const location = toAccountLocation({ id, userId, rowId });
  await storeSecrets(
    { store, ring },
    (keys) => sealTokens(keys, location, secrets),
    async (trx, sealed) => {
      // An admin may have disabled the user since the request began.
      if (!isActive(await loadUser(trx, userId))) throw refuse();
      const present = await loadVisibleRow(trx, caller, rowId);
      checkSignIn(connector, present);
      checkHosts(connector, present, begun.hosts);
      const secret = {
        sealed,
        tokensId,
        hosts: begun.hosts,
        publisher: begun.publisher,
        scope: tokens.scope ?? attempt.scope ?? "",
        expiresAt: tokens.expiresAt,
        renewAt: tokens.renewAt,
        kind: "oauth" as const,
        identity,
        connectedAt: at,
      };
      await putAccount(trx, { owner: { id, userId, rowId }, label, known, secret });
      await answerAccountCalls(trx, { userId, rowId }, at);
      await removeClientFault(trx, rowId);
      await recordChange(trx, stamp, {
        action: "account.connect",
        kind: "row",
        id: rowId,
        name: present.label,
      });
    },
  );
}

type PutAccount = {
  owner: Pick<UserAccount, "id" | "userId" | "rowId">;
  label: string;
  known: UserAccount | null;
  secret: Parameters<typeof replaceAccountSecret>[2] &
    Pick<UserAccount, "kind" | "identity" | "connectedAt">;
};

async function putAccount(
  trx: Transaction,
  { owner, label, known, secret }: PutAccount,
): Promise<void> {
  const { accounts } = await readOwnAccounts(trx, owner);
  const present = accounts.find((account) => account.label === label) ?? null;
  if (present?.id !== known?.id) {
    throw new HubError("conflict", "Your accounts have changed during the sign-in. Connect again.");
  }
  if (present !== null && present.id === owner.id) {
    // Of the same person, the former tokens may be of the grant that the new ones are of.
    await replaceAccountSecret(trx, present, secret);
    return;
  }
  if (present !== null) {
    if (present.lost === null) await recordEndings(trx, { id: present.id }, secret.connectedAt);
    await removeUserAccount(trx, present, secret.connectedAt);
  } else checkAccountsMax(accounts);
  await insertUserAccount(trx, { ...owner, label, ...secret });
}

function refuse(): HubError {
  return new HubError(
    "forbidden",
    "This sign-in was not begun in this browser by you, is already finished, or took longer than ten minutes. Open /profile/accounts and connect again.",
  );
}
