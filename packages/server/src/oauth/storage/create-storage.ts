import type { Adapter, AdapterFactory } from "oidc-provider";
import { createAccessTokenAdapter } from "./access-token-adapter.ts";
import { createArtifactAdapter } from "./artifact-adapter.ts";
import { createClientAdapter } from "./client-adapter.ts";
import { createGrantAdapter } from "./grant-adapter.ts";
import { nothingElse, type StorageDeps } from "./storage-deps.ts";

/** Where the provider keeps each kind of thing. */
export function createStorage(deps: StorageDeps): AdapterFactory {
  return (model) => {
    switch (model) {
      case "AuthorizationCode":
      case "RefreshToken":
      case "Interaction":
        return createArtifactAdapter(deps, model);
      case "AccessToken":
        return createAccessTokenAdapter(deps);
      case "Grant":
        return createGrantAdapter(deps);
      case "Client":
        return createClientAdapter(deps);
      case "Session":
        return forgetful;
      default:
        return unused;
    }
  };
}

/**
 * The provider remembers nobody: each authorization asks anew who is signed in to the hub, so that
 * it never speaks for a user who has signed out, or for another one.
 */
const forgetful: Adapter = {
  ...nothingElse,
  async upsert() {},
  async find() {},
  async destroy() {},
};

/** Kinds that the hub has switched off. They are looked for, and never made. */
const unused: Adapter = {
  ...forgetful,
  async upsert() {
    throw new Error("The hub does not issue this kind of token.");
  },
};
