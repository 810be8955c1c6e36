import { AsyncLocalStorage } from "node:async_hooks";
import type Provider from "oidc-provider";
import type { Actor } from "../changes/actor.ts";
import { type ChangeStamp, recordChange, stampChange } from "../changes/record-change.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { toClientNetworks } from "../lib/network/trusted-proxies.ts";
import type { KeyRing } from "../secrets/keys/key-ring.ts";
import { type Db, type Transaction, transaction } from "../store/database/database.ts";
import type { HotReads } from "../store/database/hot-reads.ts";
import { hasMachines } from "../store/machines/has-machines.ts";
import {
  deleteOAuthGrant,
  insertOAuthGrant,
  listOAuthGrants,
  type OAuthGrant,
} from "../store/oauth/oauth-grants.ts";
import { type ClientDocumentsMode, createClientDocuments } from "./client-documents.ts";
import {
  describeAuthorizationServer,
  oauthPaths,
  oauthScope,
  sessionCookie,
  toResource,
} from "./endpoints.ts";
import type { MachineGrants } from "./machines/answer-machine-grant.ts";
import { createDocumentFetch } from "./metadata-documents.ts";
import { quietConsole } from "./quiet-console.ts";
import { findRedirectTarget, type RedirectTarget } from "./redirect-uri.ts";
import type { ProviderRequest } from "./storage/storage-deps.ts";

export type AuthorizationServerDeps = {
  /** Without a slash at the end: the issuer. */
  baseUrl: string;
  db: Db;
  reads: Pick<HotReads, "findUserAccess">;
  ring: { current(): KeyRing };
  now: () => number;
  log: Pick<Log, "debug" | "warn" | "error">;
  clientDocuments: ClientDocumentsMode;
  /** Private destinations that trusted issuers may have. */
  outboundAllow: readonly string[];
  fetchDocument?: (url: string) => Promise<Response>;
};

/** A client's request for a user's consent. */
export type ConsentRequest = {
  uid: string;
  clientId: string;
  clientName: string;
  redirectUri: string;
  target: RedirectTarget;
  /** The host of the client's metadata document; null for a client that registered itself. */
  voucher: string | null;
};

export type AuthorizationServer = {
  /** Its metadata (RFC 8414). Does not load the provider. */
  describe(): Promise<Record<string, unknown>>;
  /** What to do about an unknown client; null for an id that is not a document's URL. */
  explainUnknownClient(clientId: string): string | null;
  /**
   * Answers at the provider's own paths, for a client at this address. A failure that the user
   * should see comes as JSON.
   */
  answer(request: Request, address: string | null): Promise<Response>;
  /**
   * Answers a token request with a grant type of `machineGrantTypes`. Null if no program may get a token here, so that the
   * provider refuses it.
   */
  answerMachine(
    params: URLSearchParams,
    from: { authorization: string | null; ip: string | null },
  ): Promise<Response | null>;
  /** The pending request of this browser; null if it has ended or belongs to another browser. */
  findConsent(request: Request, uid: string): Promise<ConsentRequest | null>;
  /** Both return the path to which the browser goes next (GET). */
  allow(request: Request, consent: ConsentRequest, actor: Actor): Promise<string>;
  deny(request: Request): Promise<string>;
  close(): void;
};

/** Time from the consent to the first token. */
const unusedGrantMs = 10 * 60_000;
/** Connected applications of one user. Above it, the longest unused one is disconnected. */
const grantsOfUserMax = 100;

type Loaded = { provider: Provider } & Pick<
  typeof import("./as-node-request.ts"),
  "answerAsNode" | "toNode"
>;

/** Issues tokens to OAuth clients. The provider library is large, so the first request loads it. */
export function createAuthorizationServer(deps: AuthorizationServerDeps): AuthorizationServer {
  return new LazyServer(deps);
}

class LazyServer implements AuthorizationServer {
  readonly #deps: AuthorizationServerDeps;
  readonly #documents: ReturnType<typeof createClientDocuments>;
  /** The request that is being answered. The provider does not pass it on to fetch and storage. */
  readonly #answering = new AsyncLocalStorage<ProviderRequest>();
  #loading: Promise<Loaded> | null = null;
  #machines: Promise<MachineGrants> | null = null;
  #restoreConsole = () => {};

  constructor(deps: AuthorizationServerDeps) {
    this.#deps = deps;
    this.#documents = createClientDocuments({
      ...deps,
      mode: deps.clientDocuments,
      fetchDocument: deps.fetchDocument ?? createDocumentFetch(),
    });
  }

  async describe(): Promise<Record<string, unknown>> {
    const takesDocuments = await this.#documents.areAdvertised();
    const isOpen = await hasMachines(this.#deps.db);
    return describeAuthorizationServer(this.#deps.baseUrl, { takesDocuments, hasMachines: isOpen });
  }

  explainUnknownClient(clientId: string): string | null {
    return this.#documents.explainFailure(clientId);
  }

  async answer(request: Request, address: string | null): Promise<Response> {
    const { provider, answerAsNode } = await this.#open();
    const isRevocation = new URL(request.url).pathname === oauthPaths.revoke;
    const answer = () => answerAsNode(provider.callback(), this.#deps.baseUrl, request);
    return withoutSession(await this.#answering.run({ ip: address, isRevocation }, answer));
  }

  async answerMachine(
    params: URLSearchParams,
    from: { authorization: string | null; ip: string | null },
  ): Promise<Response | null> {
    if (!(await hasMachines(this.#deps.db))) return null;
    this.#machines ??= this.#loadMachines();
    return await (await this.#machines).answer(params, from);
  }

  /** Most hubs have none. */
  async #loadMachines(): Promise<MachineGrants> {
    const { createMachineGrants } = await import("./machines/answer-machine-grant.ts");
    return createMachineGrants(this.#deps);
  }

  async findConsent(request: Request, uid: string): Promise<ConsentRequest | null> {
    const { provider, toNode } = await this.#open();
    const { req, res } = toNode(this.#deps.baseUrl, request);
    const details = await provider.interactionDetails(req, res).catch(() => null);
    if (details === null || details.uid !== uid) return null;
    const clientId = String(details.params.client_id);
    const redirectUri = String(details.params.redirect_uri);
    const client = await provider.Client.find(clientId);
    const target = findRedirectTarget(redirectUri);
    if (client === undefined || target === null) return null;
    const voucher = URL.parse(clientId)?.host ?? null;
    return { uid, clientId, clientName: client.clientName ?? "", redirectUri, target, voucher };
  }

  async allow(request: Request, consent: ConsentRequest, actor: Actor): Promise<string> {
    const grantId = await storeGrant(this.#deps, consent, actor);
    return this.#finish(request, { login: { accountId: actor.userId }, consent: { grantId } });
  }

  deny(request: Request): Promise<string> {
    const refusal = { error: "access_denied", error_description: "the user denied the request" };
    return this.#finish(request, refusal);
  }

  close(): void {
    this.#restoreConsole();
  }

  #open(): Promise<Loaded> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<Loaded> {
    const { clientDocuments: mode, log, ring } = this.#deps;
    this.#restoreConsole = quietConsole(log);
    const { createProvider } = await import("./create-provider.ts");
    const { answerAsNode, toNode } = await import("./as-node-request.ts");
    const findRequest = () => this.#answering.getStore() ?? { ip: null, isRevocation: false };
    const provider = createProvider({
      ...this.#deps,
      ring: ring.current(),
      fetchDocument: (url) =>
        this.#documents.fetch(url, toClientNetworks(findRequest().ip ?? "").area),
      findRequest,
      takesDocuments: mode !== "off",
      onFailure: (err) => log.error({ err }, "the authorization server failed"),
    });
    return { provider, answerAsNode, toNode };
  }

  async #finish(request: Request, result: Parameters<Provider["interactionResult"]>[2]) {
    const { provider, toNode } = await this.#open();
    const { req, res } = toNode(this.#deps.baseUrl, request);
    const returnTo = await provider.interactionResult(req, res, result, {
      mergeWithLastSubmission: false,
    });
    return new URL(returnTo).pathname;
  }
}

/** Stores what the user has allowed, and returns the id of the grant. */
async function storeGrant(
  { db, now, baseUrl }: AuthorizationServerDeps,
  { clientId, clientName: name, redirectUri }: ConsentRequest,
  actor: Actor,
): Promise<string> {
  const { userId } = actor;
  const id = crypto.randomUUID();
  const createdAt = now();
  const stamp = stampChange(actor, createdAt);
  const unused = findLongestUnused(await listOAuthGrants(db, { userId, now: createdAt }));
  const ends = unused.map((grant) => ({ grant, stamp: stampChange(actor, createdAt) }));
  await transaction(db, async (trx) => {
    for (const { grant, stamp: ended } of ends) await disconnect(trx, grant, actor, ended);
    await insertOAuthGrant(trx, {
      id,
      userId,
      clientId,
      clientName: name,
      redirectUri,
      createdAt,
      scope: oauthScope,
      resource: toResource(baseUrl),
      expiresAt: createdAt + unusedGrantMs,
    });
    const change = { action: "application.allow", kind: "application", id, name } as const;
    const detail = { user: actor.email, client_id: clientId };
    await recordChange(trx, stamp, { ...change, detail });
  });
  return id;
}

/** The grants that must end before the user allows one more. */
function findLongestUnused(grants: OAuthGrant[]): OAuthGrant[] {
  const toUse = ({ lastUsedAt, createdAt }: OAuthGrant) => lastUsedAt ?? createdAt;
  const excess = Math.max(0, grants.length - (grantsOfUserMax - 1));
  return grants.toSorted((a, b) => toUse(a) - toUse(b)).slice(0, excess);
}

async function disconnect(
  trx: Transaction,
  { id, clientName: name }: OAuthGrant,
  actor: Actor,
  stamp: ChangeStamp,
): Promise<void> {
  // Another request may have ended it meanwhile.
  if (!(await deleteOAuthGrant(trx, id))) return;
  const change = { action: "application.revoke", kind: "application", id, name } as const;
  const detail = { user: actor.email, reason: "too_many_applications" };
  await recordChange(trx, stamp, { ...change, detail });
}

/** Removes the cookie of the provider's session, which is never stored. */
function withoutSession(response: Response): Response {
  const cookies = response.headers.getSetCookie();
  response.headers.delete("set-cookie");
  for (const cookie of cookies) {
    if (!cookie.startsWith(sessionCookie)) response.headers.append("set-cookie", cookie);
  }
  return response;
}
