import type { RowAccess } from "../database/tables/account-tables.ts";

/** One configuration value: plain text, or a secret sealed for this row and field. */
export type StoredValue = { key: string; value: string | null; sealed: Uint8Array | null };

/** Who may read the settings of a row: the plugin that has its connector's key, or this program. */
export type RowOwner = "plugin" | "built-in";

/** Who may test a row: admins only, or also the users who share a tag with it. */
export type RowTests = "admins" | "tag";

export type RowRecord = {
  id: string;
  connectorKey: string;
  /** Null for a row that is older than owners, until a start of the hub decides. */
  owner: RowOwner | null;
  label: string;
  description: string;
  disabled: boolean;
  tests: RowTests;
  access: RowAccess;
  /** Grows by one with every change of the row, its values, tags and operation states. */
  version: number;
  /** In alphabetical order. */
  tags: string[];
  values: StoredValue[];
  /**
   * Only operations that an admin enabled or disabled; the others have the state of their
   * definition.
   */
  operationStates: { [operationKey: string]: boolean };
  createdAt: number;
  updatedAt: number;
  /** The name of a channel in addresses and triggers. Null for the rows of other connectors. */
  slug: string | null;
  /** Of the operations that the row brought; changes with each change of them. Null if there are none. */
  operationsId: string | null;
  /** Of its OAuth connection; changes when it is connected or disconnected. Null if there is none. */
  connectionId: string | null;
};
