import type { GuardedFetch } from "@hub/connector";

/** What a reference asks a manager for. */
export type SecretAddress = {
  /** Checked by `check-secret-path.ts`. */
  path: string;
  /** The member of a secret that has several, empty for the whole of one that is a text. */
  field: string;
  /** Null for the current one. */
  version: string | null;
};

/** A secret as a manager gave it. `version` says which value it was, if the manager names versions. */
export type ReadSecret = { value: string; version: string | null };

/** Reads secrets of one source. It keeps the session that it opened there in memory. */
export type SourceClient = {
  /** Rejects with a SourceFailure. */
  read(address: SecretAddress, signal: AbortSignal): Promise<ReadSecret>;
};

/** What clients may use of this machine. Only those of sources whose authentication says so get to it. */
export type MachineAccess = {
  /** A variable by which a cloud says where its credentials are; see `machine-variables.ts`. */
  readVariable(name: string): string | undefined;
  /** The text of a file in which a platform puts a token of this machine. */
  readTokenFile(path: string): Promise<string>;
  /** Reaches one metadata address, and no other. */
  createMetadataFetch(host: string): GuardedFetch;
};

export type ClientDeps = {
  /** Reaches the addresses of the source, by the outbound guard. It follows no redirects. */
  fetch: GuardedFetch;
  machine: MachineAccess;
  /** Epoch ms. */
  now(): number;
};
