import { type OutboundPolicy, UpstreamError } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import type { Timers } from "../../../lib/timers.ts";
import type { Log } from "../../../plugins/process/plugin-log.ts";
import { raceAbort } from "../../../plugins/process/race-abort.ts";
import type { RingHolder } from "../../../secrets/ring-holder.ts";
import type { Db } from "../../../store/database.ts";
import {
  claimRefresh,
  findRowConnection,
  loseRowConnection,
  putRefreshedTokens,
  type Refresh,
  type RowConnection,
  releaseRefresh,
} from "../../../store/row-connections.ts";
import { storeSecrets } from "../../../store/store-secrets.ts";
import { toAddressText } from "./connect-target.ts";
import { type ConnectionSecrets, openConnection, sealConnection } from "./connection-secrets.ts";
import type { OAuthNetwork } from "./oauth-fetch.ts";
import { type RefreshOutcome, refreshTokens } from "./refresh-tokens.ts";

/** A row's request. */
export type AuthorizedRow = {
  rowId: string;
  /** Of the row as the call found it; null if it was not connected. */
  connectionId: string | null;
  /** The row's address. */
  address: URL;
  policy: OutboundPolicy;
};

export type RowAuthorizer = {
  /** The row's access token, refreshed if it ends soon. Throws `needs_setup` if there is none. */
  findToken(row: AuthorizedRow, signal: AbortSignal): Promise<string>;
  /** The same after the server refused a token. Throws `needs_setup` if there is no other. */
  renewToken(row: AuthorizedRow, refused: string, signal: AbortSignal): Promise<string>;
  /** The page on which an admin connects the row. */
  findPage(rowId: string): Promise<string>;
  /** Waits for the refreshes under way, so that no rotated token is lost. */
  close(): Promise<void>;
};

export type AuthorizerDeps = Omit<OAuthNetwork, "policy"> & {
  db: Db;
  ring: RingHolder;
  /** The clock that all servers share. */
  now: () => number;
  timers: Timers;
  log: Log;
  findBaseUrl(): Promise<string>;
};

/** Longer than the request of a refresh and the write of its tokens. Then its server has died. */
const leaseMs = 30_000;
/** A server that refuses a token as young as this would refuse the next one too. */
const youngMs = 10_000;
/** How often a server looks whether another one has finished its refresh. */
const pollMs = 250;
/** A server that fails is not asked with each call. */
const backOffMs = 5_000;
const writesMax = 5;
/** Of rows whose tokens are kept open. */
const openedMax = 1000;
const writePauseMs = 1_000;

type Loaded = { connection: RowConnection; secrets: ConnectionSecrets };

export function createRowAuthorizer(deps: AuthorizerDeps): RowAuthorizer {
  const { db, ring, now, timers, log } = deps;
  /** One refresh for each row's tokens; all its calls wait for it. */
  const refreshes = new Map<string, Promise<Loaded>>();
  /** The latest failure of each row. */
  const failures = new Map<string, { tokensId: string; until: number; error: UpstreamError }>();
  /** The tokens of each row that this server has refreshed last. */
  const youngest = new Map<string, { tokensId: string; until: number }>();
  const opened = new Map<string, { tokensId: string; secrets: ConnectionSecrets }>();
  let isClosing = false;

  async function load(row: AuthorizedRow): Promise<Loaded> {
    const connection = await findRowConnection(db, row.rowId);
    if (connection === null) {
      opened.delete(row.rowId);
      throw await refuse(row.rowId, "This row is not connected with its MCP server.");
    }
    if (connection.id !== row.connectionId) {
      throw new UpstreamError("The row was connected anew during the call. Try again.");
    }
    if (connection.lost !== null) throw await refuse(row.rowId, connection.lost.reason);
    // Attack: a changed address would send the token to another server.
    if (connection.address !== toAddressText(row.address)) {
      throw await refuse(row.rowId, "The row's address has changed since it was connected.");
    }
    return { connection, secrets: await openOnce(connection) };
  }

  /** Opening takes longer than reading, and each request of a call needs the token. */
  async function openOnce({ rowId, tokensId, sealed }: RowConnection): Promise<ConnectionSecrets> {
    const known = opened.get(rowId);
    if (known?.tokensId === tokensId) return known.secrets;
    const secrets = await openConnection(ring, rowId, sealed);
    opened.set(rowId, { tokensId, secrets });
    const [oldest] = opened.keys();
    if (opened.size > openedMax && oldest !== undefined) opened.delete(oldest);
    return secrets;
  }

  async function refuse(rowId: string, reason: string): Promise<HubError> {
    const page = await findPage(rowId);
    return new HubError("needs_setup", `${reason} Ask an admin to connect it at ${page}.`);
  }

  async function findPage(rowId: string): Promise<string> {
    return `${await deps.findBaseUrl()}/manager/connectors/mcp/${rowId}?tab=settings`;
  }

  /** The tokens after a refresh, by this server or another one. */
  function refresh(row: AuthorizedRow, loaded: Loaded): Promise<Loaded> {
    const { tokensId } = loaded.connection;
    const failed = failures.get(row.rowId);
    const isSame = failed?.tokensId === tokensId;
    if (isSame && failed.until > timers.now()) return Promise.reject(failed.error);
    failures.delete(row.rowId);
    const known = refreshes.get(tokensId);
    if (known !== undefined) return known;
    const started = refreshInTurn(row, loaded).finally(() => refreshes.delete(tokensId));
    refreshes.set(tokensId, started);
    return started;
  }

  async function refreshInTurn(row: AuthorizedRow, first: Loaded): Promise<Loaded> {
    const { rowId, tokensId } = first.connection;
    let loaded = first;
    while (loaded.connection.tokensId === tokensId) {
      const refreshId = crypto.randomUUID();
      const claim = { rowId, tokensId, refreshId };
      const at = now();
      if (await claimRefresh(db, claim, { now: at, until: at + leaseMs })) {
        await refreshClaimed(row, loaded, claim);
      } else if (isClosing) {
        throw new UpstreamError("The hub is stopping.");
      } else {
        await new Promise<void>((resolve) => timers.after(pollMs, resolve));
      }
      loaded = await load(row);
    }
    return loaded;
  }

  /** Stores new tokens, or that there are none. Throws if the server failed, and gives the turn back. */
  async function refreshClaimed(row: AuthorizedRow, loaded: Loaded, claim: Refresh): Promise<void> {
    const outcome = await askForTokens(row, loaded);
    const { rowId, tokensId } = claim;
    if (outcome.kind === "refreshed") return await store(loaded, claim, outcome);
    log.warn({ row: rowId, reason: outcome.reason }, "The tokens of a row were not refreshed");
    if (outcome.kind === "lost") {
      return await loseRowConnection(db, claim, { reason: outcome.reason, at: now() });
    }
    await releaseRefresh(db, claim);
    const error = new UpstreamError(`The row's access could not be renewed: ${outcome.reason}`);
    failures.set(rowId, { tokensId, until: timers.now() + backOffMs, error });
    throw error;
  }

  async function askForTokens(
    { policy }: AuthorizedRow,
    { secrets }: Loaded,
  ): Promise<RefreshOutcome> {
    const { refresh_token } = secrets;
    if (refresh_token === null) {
      return { kind: "lost", reason: "The access has ended, and cannot be renewed." };
    }
    return await refreshTokens({ ...deps, policy }, { ...secrets, refresh_token }, now);
  }

  /** The former tokens have ended, so a database that fails is tried again. */
  async function store(
    { connection }: Loaded,
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
          { store: { db }, ring },
          (keys) => sealConnection(keys, claim.rowId, secrets),
          (trx, sealed) => putRefreshedTokens(trx, claim, { ...stored, sealed }),
        );
        youngest.set(claim.rowId, { tokensId: stored.tokensId, until: timers.now() + youngMs });
        return;
      } catch (thrown) {
        if (writes >= writesMax) throw thrown;
        log.warn({ row: claim.rowId, err: thrown }, "Refreshed tokens could not be stored yet");
        await new Promise<void>((resolve) => timers.after(writePauseMs, resolve));
      }
    }
  }

  /** Tokens that another call has refreshed meanwhile are used at once. */
  async function renew(row: AuthorizedRow, loaded: Loaded, signal: AbortSignal): Promise<string> {
    const renewed = await raceAbort(refresh(row, loaded), signal);
    return renewed.secrets.access_token;
  }

  return {
    async findToken(row, signal) {
      const loaded = await load(row);
      const { expiresAt, renewAt } = loaded.connection;
      const at = now();
      const isEnded = expiresAt !== null && expiresAt <= at;
      if (!isEnded && (renewAt === null || renewAt > at)) return loaded.secrets.access_token;
      try {
        return await renew(row, loaded, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        // A server that fails now may answer before the token ends.
        if (isEnded || !(thrown instanceof UpstreamError)) throw thrown;
        return loaded.secrets.access_token;
      }
    },
    async renewToken(row, refused, signal) {
      const loaded = await load(row);
      const { access_token, refresh_token } = loaded.secrets;
      if (access_token !== refused) return access_token;
      const { rowId } = row;
      const isYoung = youngest.get(rowId)?.tokensId === loaded.connection.tokensId;
      if (isYoung && (youngest.get(rowId)?.until ?? 0) > timers.now()) {
        throw await refuse(rowId, "The MCP server refuses fresh access tokens of the row.");
      }
      if (refresh_token !== null) return await renew(row, loaded, signal);
      const reason = "The MCP server no longer accepts the row's access.";
      await loseRowConnection(db, loaded.connection, { reason, at: now() });
      throw await refuse(row.rowId, reason);
    },
    findPage,
    async close() {
      isClosing = true;
      await Promise.allSettled(refreshes.values());
    },
  };
}
