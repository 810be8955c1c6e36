import type { SecretReference, SecretSource } from "@hub/contract/secret-source.ts";

/** The one dialog of the page that is open, and of what. */
export type OpenDialog =
  | { kind: "source"; source: SecretSource | null }
  | { kind: "reference"; reference: SecretReference | null }
  | { kind: "use"; reference: SecretReference }
  | { kind: "delete"; reference: SecretReference }
  | { kind: "delete source"; source: SecretSource };
