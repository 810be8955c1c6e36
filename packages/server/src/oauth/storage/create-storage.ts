import type { Adapter, AdapterFactory } from "oidc-provider";
import { createAccessTokenAdapter } from "./access-token-adapter.ts";
import { createArtifactAdapter } from "./artifact-adapter.ts";
import { createClientAdapter } from "./client-adapter.ts";
import { createGrantAdapter } from "./grant-adapter.ts";
import { onOwnClock } from "./own-clock.ts";
import { nothingElse, type StorageDeps } from "./storage-deps.ts";

/** The provider's storage adapter for each model. */
export function createStorage(deps: StorageDeps): AdapterFactory {
  return (model) => {
    switch (model) {
      case "AuthorizationCode":
      case "RefreshToken":
      case "Interaction":
        return onOwnClock(createArtifactAdapter(deps, model), deps);
      case "AccessToken":
        return onOwnClock(createAccessTokenAdapter(deps), deps);
      case "Grant":
        return onOwnClock(createGrantAdapter(deps), deps);
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
 * The provider stores no session. Each authorization checks which user is signed in to the hub, so
 * that it never acts for another user, or for one who has signed out.
 */
const forgetful: Adapter = {
  ...nothingElse,
  async upsert() {},
  async find() {},
  async destroy() {},
};

/** Models of features that are off. They are looked up, but never created. */
const unused: Adapter = {
  ...forgetful,
  async upsert() {
    throw new Error("The hub does not issue this kind of token.");
  },
};
