import Provider, { type Configuration, errors } from "oidc-provider";
import { isActive } from "../identity/to-caller.ts";
import type { KeyRing } from "../secrets/keys/key-ring.ts";
import type { Db } from "../store/database/database.ts";
import type { HotReads } from "../store/database/hot-reads.ts";
import { acceptRedirectUris } from "./accept-redirect-uris.ts";
import { setAccessTokenFormat } from "./access-token-format.ts";
import { oauthPaths, oauthScope, sessionCookie, toResource } from "./endpoints.ts";
import { createStorage } from "./storage/create-storage.ts";
import type { ProviderRequest } from "./storage/storage-deps.ts";
import { deriveSigningKey } from "./token-signing-key.ts";

export type ProviderDeps = {
  baseUrl: string;
  db: Db;
  reads: Pick<HotReads, "findUserAccess">;
  ring: KeyRing;
  now: () => number;
  fetchDocument(url: string): Promise<Response>;
  takesDocuments: boolean;
  findRequest(): ProviderRequest;
  onFailure(failure: unknown): void;
};

const accessTokenSeconds = 60 * 60;
const refreshTokenSeconds = 30 * 24 * 60 * 60;
const codeSeconds = 60;
const consentSeconds = 60 * 60;
const dayInSeconds = 24 * 60 * 60;

export function createProvider(deps: ProviderDeps): Provider {
  const provider = new Provider(deps.baseUrl, toConfiguration(deps));
  // Set on every request by as-node-request.ts, from the base address.
  provider.proxy = true;
  provider.on("server_error", (_, failure) => deps.onFailure(failure));
  setAccessTokenFormat(provider);
  acceptRedirectUris(provider);
  return provider;
}

// Unsigned: the value is a random id, which is looked up by its hash in the database.
const cookie = { signed: false, httpOnly: true, sameSite: "lax" } as const;

function toConfiguration(deps: ProviderDeps): Configuration {
  const { db, reads, ring, now } = deps;
  return {
    adapter: createStorage({
      db,
      now,
      findRequest: deps.findRequest,
      refuseGrant: (description) => new errors.InvalidGrant(description),
    }),
    jwks: { keys: [deriveSigningKey(ring)] },
    cookies: {
      names: {
        interaction: "hub_oauth_consent",
        resume: "hub_oauth_resume",
        session: sessionCookie,
      },
      short: cookie,
      long: cookie,
    },
    routes: {
      authorization: oauthPaths.authorize,
      token: oauthPaths.token,
      registration: oauthPaths.register,
      revocation: oauthPaths.revoke,
    },
    scopes: ["offline_access"],
    responseTypes: ["code"],
    clientAuthMethods: ["none"],
    clientDefaults: {
      token_endpoint_auth_method: "none",
      id_token_signed_response_alg: "EdDSA",
    },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    // A replay or revocation ends the whole grant: the hub cannot know which copy is stolen.
    revokeGrantPolicy: () => true,
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      RefreshToken: refreshTokenSeconds,
      Interaction: consentSeconds,
      Grant: refreshTokenSeconds,
      Session: consentSeconds,
    },
    async findAccount(_, accountId) {
      const user = await reads.findUserAccess(accountId);
      if (user === null || !isActive(user)) return undefined;
      return { accountId, claims: () => ({ sub: accountId }) };
    },
    interactions: { url: (_, { uid }) => `${oauthPaths.consent}/${uid}` },
    // `http/` renders the page.
    renderError(ctx, { error, error_description }) {
      ctx.type = "json";
      ctx.body = { error, error_description };
    },
    // `http/` handles CORS, equally for every client.
    clientBasedCORS: () => true,
    fetch: (url) => deps.fetchDocument(String(url)),
    features: toFeatures(deps),
  };
}

function toFeatures({ baseUrl, takesDocuments }: ProviderDeps): Configuration["features"] {
  const resource = toResource(baseUrl);
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: {
      enabled: true,
      issueRegistrationAccessToken: false,
      idFactory: () => crypto.randomUUID(),
    },
    revocation: {
      enabled: true,
      allowedPolicy: async (_, client, token) => client.clientId === token.clientId,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo(_, indicator) {
        if (indicator !== resource) {
          throw new errors.InvalidTarget(`the resource of this server is ${resource}`);
        }
        return {
          scope: oauthScope,
          audience: resource,
          accessTokenFormat: "opaque",
          accessTokenTTL: accessTokenSeconds,
        };
      },
    },
    clientIdMetadataDocument: {
      enabled: takesDocuments,
      ack: clientIdDocumentDraft,
      allowFetch: async () => true,
      cacheDuration: { min: 60, max: dayInSeconds },
    },
  };
}

/** The draft that the library implements. Review the code before changing it. */
const clientIdDocumentDraft = "draft-02";
