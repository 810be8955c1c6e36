import { toDurationText } from "@hub/connector";
import { createTokenBuckets } from "../../../lib/limits/token-buckets.ts";
import { readPageHosts } from "../elicitation/check-elicited.ts";
import type { McpConnectorDeps, McpContext } from "../mcp-context.ts";
import { type Accounts, createAccounts } from "../oauth/accounts.ts";
import { readNamedSecrets } from "../secrets/named-secrets.ts";
import { readHeaders, readVariables } from "../secrets/secret-pairs.ts";
import { type McpSession, openSession, type SessionDeps } from "./open-mcp-session.ts";
import { hasAccount, openRowLink, toAuthorizedMcpRow } from "./row-links.ts";
import type { SessionTarget } from "./session-slot.ts";

/** The sessions with the servers of rows. */
export class RowSessions {
  readonly #deps: McpConnectorDeps;
  readonly #accounts: Accounts;
  readonly #changes: ReturnType<typeof createTokenBuckets>;

  constructor(deps: McpConnectorDeps) {
    this.#deps = deps;
    this.#accounts = createAccounts(deps.authorizer);
    this.#changes = createTokenBuckets({ now: deps.timers.now });
  }

  /** Works in the session of a row, which is opened if there is none. */
  async use<T>(
    ctx: McpContext,
    work: (session: McpSession) => Promise<T>,
    ignoresBackOff = false,
  ): Promise<T> {
    maskParts(ctx);
    const { signal, config } = ctx;
    const options = { signal, ignoresBackOff, onOpening: () => this.#recordStart(ctx) };
    const use = () => this.#deps.sessions.use(this.#toTarget(ctx), options, work);
    if (!hasAccount(config)) return await use();
    return await this.#accounts.maskDuring(toAuthorizedMcpRow(ctx), ctx, use);
  }

  /** A first start can take long, such as that of a package that npx downloads. */
  #recordStart({ config, recordStart }: McpContext): void {
    const { programs } = this.#deps;
    if (config.Transport !== "stdio" || programs === null) return;
    recordStart(
      `The program of this row is starting. Its first start may take up to ${toDurationText(programs.startMs)}.`,
    );
  }

  #toTarget(ctx: McpContext): SessionTarget {
    const { rowId, config, configId, rowConfigId, account, caller } = ctx;
    return {
      rowId,
      // An account is its user's alone.
      userId: config.SharedSession === true && account === undefined ? null : caller.userId,
      configId,
      rowConfigId,
      shows: findShows(ctx),
      accountId: account?.id ?? null,
      isProcess: config.Transport === "stdio",
      open: (signal) => this.#open(ctx, signal),
    };
  }

  async #open(ctx: McpContext, signal: AbortSignal): Promise<McpSession> {
    const { rowId, connectionId, account, config, outbound, secrets } = ctx;
    const sessionDeps = this.#toSessionDeps(ctx);
    const ofRow = { rowId, connectionId, ...(account && { account }) };
    const source = { ...ofRow, config, outbound, secrets };
    const parts = { deps: this.#deps, accounts: this.#accounts };
    const { now } = this.#deps.timers;
    const startedAt = now();
    const link = await openRowLink(parts, source, { mode: "auto", spentMs: 0 });
    try {
      return await openSession(sessionDeps, link, signal);
    } catch (thrown) {
      // Some servers of the older protocol end at the first request of the newer one.
      if (link.mayBeOlder?.() !== true) throw thrown;
      signal.throwIfAborted();
      const spentMs = Math.max(0, now() - startedAt);
      const older = await openRowLink(parts, source, { mode: "legacy", spentMs });
      return await openSession(sessionDeps, older, signal);
    }
  }

  #toSessionDeps(ctx: McpContext): SessionDeps {
    const { rowId } = ctx;
    const { log, onChanged } = this.#deps;
    const onToolsChanged = () => {
      if (this.#changes.take(rowId, 1) === 0) onChanged?.(rowId);
    };
    const pageHosts = readPageHosts(ctx.config.PageHosts);
    return { log, rowId, onToolsChanged, shows: findShows(ctx), pageHosts };
  }
}

/** What the clients of a session show. A question in a session that users share could be shown to another one. */
function findShows({ config, account, elicit }: McpContext): SessionTarget["shows"] {
  if (config.SharedSession === true && account === undefined) return null;
  return elicit?.shows ?? null;
}

/** A header's or variable's value is a part of a secret field, so it is masked for itself. */
function maskParts({ config, mask }: McpContext): void {
  const isProgram = config.Transport === "stdio";
  const headers = !isProgram && config.AuthMode === "headers" ? readHeaders(config.Headers) : [];
  const pairs = isProgram ? readVariables(config.Env) : headers;
  const named = readNamedSecrets(config.Secrets) ?? [];
  for (const [, value] of [...pairs, ...named]) if (value !== "") mask(value, { ofRow: true });
}
