import { UpstreamError } from "@hub/connector";
import {
  claimRefresh,
  loseRowConnection,
  putRefreshedTokens,
  type Refresh,
  type RowConnection,
  releaseRefresh,
} from "../../../store/rows/row-connections.ts";
import { storeSecrets } from "../../../store/settings/store-secrets.ts";
import type { AuthorizedRow, AuthorizerDeps } from "./authorized-row.ts";
import { sealConnection } from "./connection-secrets.ts";
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

/** Refreshes the tokens of rows: one at a time for each row, over all servers. */
export class TokenRefreshes {
  readonly #deps: AuthorizerDeps;
  readonly #connections: OpenConnections;
  /** One refresh for each row's tokens; all its calls wait for it. */
  readonly #refreshes = new Map<string, Promise<LoadedConnection>>();
  /** The latest failure of each row. */
  readonly #failures = new Map<string, { tokensId: string; until: number; error: UpstreamError }>();
  /** The tokens of each row that this server has refreshed last. */
  readonly #youngest = new Map<string, { tokensId: string; until: number }>();
  #isClosing = false;

  constructor(deps: AuthorizerDeps, connections: OpenConnections) {
    this.#deps = deps;
    this.#connections = connections;
  }

  /** Whether this server got these tokens a moment ago. */
  areFresh({ rowId, tokensId }: Pick<RowConnection, "rowId" | "tokensId">): boolean {
    const youngest = this.#youngest.get(rowId);
    return youngest?.tokensId === tokensId && youngest.until > this.#deps.timers.now();
  }

  /** Waits for the refreshes under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled(this.#refreshes.values());
  }

  /** The tokens after a refresh, by this server or another one. */
  refresh(row: AuthorizedRow, loaded: LoadedConnection): Promise<LoadedConnection> {
    const { tokensId } = loaded.connection;
    const failed = this.#failures.get(row.rowId);
    const isSame = failed?.tokensId === tokensId;
    if (isSame && failed.until > this.#deps.timers.now()) return Promise.reject(failed.error);
    this.#failures.delete(row.rowId);
    const known = this.#refreshes.get(tokensId);
    if (known !== undefined) return known;
    const started = this.#refreshByClaim(row, loaded).finally(() =>
      this.#refreshes.delete(tokensId),
    );
    this.#refreshes.set(tokensId, started);
    return started;
  }

  async #refreshByClaim(row: AuthorizedRow, first: LoadedConnection): Promise<LoadedConnection> {
    const { rowId, tokensId } = first.connection;
    let loaded = first;
    while (loaded.connection.tokensId === tokensId) {
      const refreshId = crypto.randomUUID();
      const claim = { rowId, tokensId, refreshId };
      const at = this.#deps.now();
      if (await claimRefresh(this.#deps.db, claim, { now: at, until: at + leaseMs })) {
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
    claim: Refresh,
  ): Promise<void> {
    const outcome = await this.#askForTokens(row, loaded);
    const { rowId, tokensId } = claim;
    if (outcome.kind === "refreshed") return await this.#store(loaded, claim, outcome);
    this.#deps.log.warn(
      { row: rowId, reason: outcome.reason },
      "The tokens of a row were not refreshed",
    );
    if (outcome.kind === "lost") {
      return await loseRowConnection(this.#deps.db, claim, {
        reason: outcome.reason,
        at: this.#deps.now(),
      });
    }
    await releaseRefresh(this.#deps.db, claim);
    const error = new UpstreamError(`The row's access could not be renewed: ${outcome.reason}`);
    this.#failures.set(rowId, { tokensId, until: this.#deps.timers.now() + backOffMs, error });
    throw error;
  }

  async #askForTokens(
    { policy }: AuthorizedRow,
    { secrets }: LoadedConnection,
  ): Promise<RefreshOutcome> {
    const { refresh_token } = secrets;
    if (refresh_token === null) {
      return { kind: "lost", reason: "The access has ended, and cannot be renewed." };
    }
    return await refreshTokens(
      { ...this.#deps, policy },
      { ...secrets, refresh_token },
      this.#deps.now,
    );
  }

  /** The former tokens have ended, so a database that fails is tried again. */
  async #store(
    { connection }: LoadedConnection,
    claim: Refresh,
    { tokens, secrets }: Extract<RefreshOutcome, { kind: "refreshed" }>,
  ): Promise<void> {
    const stored = {
      tokensId: crypto.randomUUID(),
      scope: tokens.scope ?? connection.scope,
      expiresAt: tokens.expiresAt,
      renewAt: tokens.renewAt,
      canRenew: secrets.refresh_token !== null,
    };
    for (let writes = 1; ; writes += 1) {
      try {
        await storeSecrets(
          { store: { db: this.#deps.db }, ring: this.#deps.ring },
          (keys) => sealConnection(keys, claim.rowId, secrets),
          (trx, sealed) => putRefreshedTokens(trx, claim, { ...stored, sealed }),
        );
        this.#youngest.set(claim.rowId, {
          tokensId: stored.tokensId,
          until: this.#deps.timers.now() + youngMs,
        });
        return;
      } catch (thrown) {
        if (writes >= writesMax) throw thrown;
        this.#deps.log.warn(
          { row: claim.rowId, err: thrown },
          "Refreshed tokens could not be stored yet",
        );
        await new Promise<void>((resolve) => this.#deps.timers.after(writePauseMs, resolve));
      }
    }
  }
}
