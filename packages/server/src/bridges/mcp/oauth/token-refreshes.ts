import { UpstreamError } from "@hub/connector";
import type { HubError } from "../../../errors.ts";
import {
  putClientFault,
  removeClientFault,
  removeRowClient,
} from "../../../store/rows/row-clients.ts";
import { storeSecrets } from "../../../store/settings/store-secrets.ts";
import { type AuthorizedRow, type AuthorizerDeps, toGrantId } from "./authorized-row.ts";
import { type BriefMemory, createBriefMemory } from "./brief-memory.ts";
import { type OAuthClient, sealTokens } from "./connection-secrets.ts";
import { type GrantRefresh, type StoredGrant, toGrantStore } from "./grant-store.ts";
import type { LoadedConnection, OpenConnections } from "./open-connections.ts";
import { type RefreshOutcome, refreshTokens } from "./refresh-tokens.ts";

/** Longer than the request of a refresh and the write of its tokens. Then its server has died. */
const leaseMs = 30_000;
/** A server that refuses a token as young as this would refuse the next one too. */
const youngMs = 10_000;
/** How often a server looks whether another one has finished its refresh. */
const pollMs = 250;
/** A server that fails is not asked with each call. */
const backOffMs = 5_000;
const writesMax = 5;
const writePauseMs = 1_000;

type Failure = { tokensId: string; error: UpstreamError | HubError };

/** Refreshes the tokens of rows and accounts: one at a time for each grant, over all servers. */
export class TokenRefreshes {
  readonly #deps: AuthorizerDeps;
  readonly #connections: OpenConnections;
  /** One refresh for each grant's tokens; all its calls wait for it. */
  readonly #refreshes = new Map<string, Promise<LoadedConnection>>();
  /** The latest failure of each grant. */
  readonly #failures: BriefMemory<Failure>;
  /** The id of the tokens of each grant that this server has refreshed last. */
  readonly #youngest: BriefMemory<string>;
  #isClosing = false;

  constructor(deps: AuthorizerDeps, connections: OpenConnections) {
    this.#deps = deps;
    this.#connections = connections;
    this.#failures = createBriefMemory(deps.timers, backOffMs);
    this.#youngest = createBriefMemory(deps.timers, youngMs);
  }

  /** Whether this server got these tokens a moment ago. */
  areFresh(grantId: string, { tokensId }: Pick<StoredGrant, "tokensId">): boolean {
    return this.#youngest.find(grantId) === tokensId;
  }

  /** Waits for the refreshes under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled(this.#refreshes.values());
  }

  /** The tokens after a refresh, by this server or another one. */
  refresh(row: AuthorizedRow, loaded: LoadedConnection): Promise<LoadedConnection> {
    const { tokensId } = loaded.connection;
    const failed = this.#failures.find(toGrantId(row));
    if (failed?.tokensId === tokensId) return Promise.reject(failed.error);
    const known = this.#refreshes.get(tokensId);
    if (known !== undefined) return known;
    const started = this.#refreshByClaim(row, loaded).finally(() =>
      this.#refreshes.delete(tokensId),
    );
    this.#refreshes.set(tokensId, started);
    return started;
  }

  async #refreshByClaim(row: AuthorizedRow, first: LoadedConnection): Promise<LoadedConnection> {
    const { tokensId } = first.connection;
    const store = toGrantStore(row);
    let loaded = first;
    while (loaded.connection.tokensId === tokensId) {
      const refreshId = crypto.randomUUID();
      const claim = { tokensId, refreshId };
      const at = this.#deps.now();
      if (await store.claim(this.#deps.db, claim, { now: at, until: at + leaseMs })) {
        await this.#refreshClaimed(row, loaded, claim);
      } else if (this.#isClosing) {
        throw new UpstreamError("The hub is stopping.");
      } else {
        await new Promise<void>((resolve) => this.#deps.timers.after(pollMs, resolve));
      }
      loaded = await this.#connections.load(row);
    }
    return loaded;
  }

  /** Stores new tokens, or that there are none. Throws if the server failed, and releases the claim. */
  async #refreshClaimed(
    row: AuthorizedRow,
    loaded: LoadedConnection,
    claim: GrantRefresh,
  ): Promise<void> {
    const { db, log, now } = this.#deps;
    const outcome = await this.#askForTokens(row, loaded);
    if (outcome.kind === "refreshed") return await this.#store(row, loaded, claim, outcome);
    const { reason } = outcome;
    log.warn({ row: row.rowId, reason }, "The tokens of a row were not refreshed");
    const { tokensId } = claim;
    // A client that is refused is no fault of the user, whose tokens work again when an admin has corrected it.
    const { client_id: clientId } = loaded.secrets.client;
    const isOfRow = row.client?.id === clientId;
    const isClientFault = outcome.kind === "client" && row.account !== null && isOfRow;
    // A client that the hub registered is forgotten there: the next sign-in registers another one.
    if (outcome.kind === "client" && !isOfRow) await removeRowClient(db, row.rowId);
    if (outcome.kind !== "failed" && !isClientFault) {
      return await toGrantStore(row).lose(db, tokensId, { reason, at: now() });
    }
    await toGrantStore(row).release(db, claim);
    if (isClientFault) await putClientFault(db, row.rowId, { reason, at: now() });
    const error = isClientFault
      ? await this.#connections.refuseRow(row, reason)
      : new UpstreamError(`The row's access could not be renewed: ${reason}`);
    this.#failures.put(toGrantId(row), { tokensId, error });
    throw error;
  }

  async #askForTokens(
    { policy, client }: AuthorizedRow,
    { secrets }: LoadedConnection,
  ): Promise<RefreshOutcome> {
    const { refresh_token } = secrets;
    if (refresh_token === null) {
      return { kind: "lost", reason: "The access has ended, and cannot be renewed." };
    }
    return await refreshTokens(
      { ...this.#deps, policy },
      { ...secrets, client: toPresentClient(secrets.client, client), refresh_token },
      this.#deps.now,
    );
  }

  /** The former tokens have ended, so a database that fails is tried again. */
  async #store(
    row: AuthorizedRow,
    { connection }: LoadedConnection,
    claim: GrantRefresh,
    { tokens, secrets }: Extract<RefreshOutcome, { kind: "refreshed" }>,
  ): Promise<void> {
    const { db, ring, log, timers } = this.#deps;
    const store = toGrantStore(row);
    const stored = {
      tokensId: crypto.randomUUID(),
      scope: tokens.scope ?? connection.scope,
      expiresAt: tokens.expiresAt,
      renewAt: tokens.renewAt,
      canRenew: secrets.refresh_token !== null,
    };
    for (let writes = 1; ; writes += 1) {
      const at = this.#deps.now();
      try {
        await storeSecrets(
          { store: { db }, ring },
          (keys) => sealTokens(keys, store.location, secrets),
          async (trx, sealed) => {
            await store.put(trx, claim, { ...stored, sealed }, at);
            if (row.account !== null) await removeClientFault(trx, row.rowId);
          },
        );
        this.#youngest.put(toGrantId(row), stored.tokensId);
        return;
      } catch (thrown) {
        if (writes >= writesMax) throw thrown;
        log.warn({ row: row.rowId, err: thrown }, "Refreshed tokens could not be stored yet");
        await new Promise<void>((resolve) => timers.after(writePauseMs, resolve));
      }
    }
  }
}

/** An admin may have given the client another secret since the sign-in. */
function toPresentClient(stored: OAuthClient, named: AuthorizedRow["client"]): OAuthClient {
  if (named?.id !== stored.client_id || named.secret === null) return stored;
  return { ...stored, client_secret: named.secret };
}
