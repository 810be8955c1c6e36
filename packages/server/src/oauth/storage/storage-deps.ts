import type { Adapter } from "oidc-provider";
import type { Db } from "../../store/database/database.ts";

export type ProviderRequest = {
  ip: string | null;
  /** The client revokes one of its own tokens. */
  isRevocation: boolean;
};

export type StorageDeps = {
  db: Db;
  now: () => number;
  /** The request that the provider is answering. */
  findRequest(): ProviderRequest;
  /** Refuses a token request with `invalid_grant`: the provider's own error. */
  refuseGrant(description: string): Error;
};

/** Methods that the provider never calls for most models. */
export const nothingElse: Omit<Adapter, "upsert" | "find" | "destroy"> = {
  async consume() {
    throw new Error("Only codes and refresh tokens are consumed.");
  },
  async findByUid() {},
  async findByUserCode() {},
  async revokeByGrantId() {},
};
