import type { SourceSettings } from "@hub/contract/secret-source.ts";

/** A secret manager as an admin described it. */
export type SourceDefinition = {
  id: string;
  name: string;
  settings: SourceSettings;
  /** Sealed for the source. */
  sealed: Uint8Array | null;
  prefixes: readonly string[];
  revision: number;
};

/** A row that a secret may be sent to, and where that row sent credentials when an admin chose it. */
export type ReferenceRow = { id: string; addresses: readonly string[] };

/** A secret in a manager, and where it may go. */
export type ReferenceDefinition = {
  id: string;
  name: string;
  source: SourceDefinition;
  path: string;
  field: string;
  version: string | null;
  tags: readonly string[];
  rows: readonly ReferenceRow[];
  hosts: readonly string[];
  revision: number;
};

/** All references by id, as one revision of the configuration has them. */
export type SecretDefinitions = ReadonlyMap<string, ReferenceDefinition>;

export const noDefinitions: SecretDefinitions = new Map();
