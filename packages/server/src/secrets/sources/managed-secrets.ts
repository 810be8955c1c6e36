import type { ReferenceDefinition } from "./secret-definitions.ts";
import type { SecretReadOutcome } from "./secret-reader.ts";

/** The secrets that are kept in secret managers, by the ids of their references. */
export type ManagedSecrets = {
  /** Reads what is not current. Call it before `peek`. It rejects only if the database fails. */
  prepare(ids: readonly string[]): Promise<void>;
  /** As of the last `prepare`. Null if there is no such reference. */
  find(id: string): ReferenceDefinition | null;
  /** The value that is kept. Throws `needs_setup` with the reason if there is none. */
  peek(id: string): string;
  /** Former values, which results may still hold. */
  listFormer(id: string): string[];
  /** Reads the secret now. Null if there is no such reference. */
  refresh(id: string): Promise<SecretReadOutcome | null>;
};
