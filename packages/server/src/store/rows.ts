import type { Db } from "./tables.ts";

/** One configuration value: plain text, or a secret sealed for this row and field. */
export type StoredValue = { key: string; value: string | null; sealed: Uint8Array | null };

export type RowRecord = {
  id: string;
  connectorKey: string;
  label: string;
  description: string;
  disabled: boolean;
  /** Grows by one with every change of the row, its values, tags and operation states. */
  version: number;
  /** In alphabetical order. */
  tags: string[];
  values: StoredValue[];
  /** Only operations that were switched on or off; the others are as their definition says. */
  operationStates: { [operationKey: string]: boolean };
  createdAt: number;
  updatedAt: number;
};

export type NewRow = {
  /** Chosen by the caller, who seals values for it first: `crypto.randomUUID()`. */
  id: string;
  connectorKey: string;
  label: string;
  description: string;
  tags: readonly string[];
  values: readonly StoredValue[];
};

export type RowChange = { label?: string; description?: string; disabled?: boolean };

export declare function insertRow(db: Db, row: NewRow): Promise<RowRecord>;
export declare function findRow(db: Db, id: string): Promise<RowRecord | null>;
/** Oldest first. */
export declare function listRows(db: Db, filter?: { connectorKey?: string }): Promise<RowRecord[]>;
/** Null when there is no such row. */
export declare function updateRow(db: Db, id: string, change: RowChange): Promise<RowRecord | null>;
/** Deletes the row with its values, tags and states; its runs stay. False when there is none. */
export declare function deleteRow(db: Db, id: string): Promise<boolean>;
/** False when there is no such row. */
export declare function setRowTags(db: Db, id: string, names: readonly string[]): Promise<boolean>;
/**
 * Sets the given values and leaves the others; one with neither `value` nor `sealed` is removed.
 * False when there is no such row.
 */
export declare function putRowValues(
  db: Db,
  id: string,
  values: readonly StoredValue[],
): Promise<boolean>;
