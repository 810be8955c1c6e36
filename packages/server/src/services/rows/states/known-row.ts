import type { RowStateName } from "@hub/contract/row-state.ts";
import type { SeenRevision } from "../../../caller.ts";
import type { Directory } from "../../../connectors/rows/row-directory.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import type { RowActivityRecord } from "../../../store/runs/row-activity.ts";

/** What a row and its connector say about its state. */
export type RowFacts = {
  /** Null if the connector is not installed. */
  connectorName: string | null;
  /** Labels of required fields without a value. */
  missing: readonly string[];
  /** Whether an admin must connect it by a sign-in elsewhere. */
  lacksConnection: boolean;
  /** Operations that wait for a review, without the hidden ones. */
  waiting: number;
  /** Operations that are enabled and reviewed, as admins and as users see them. */
  enabled: { admin: number; user: number };
  /** Lower case: the label, and what a search finds the row by, beside its tags. */
  label: string;
  text: string;
};

/** Everything that the state of a row depends on. */
export type Known = {
  facts: RowFacts;
  isDisabled: boolean;
  isTypeDisabled: boolean;
  /** Why its OAuth connection works no longer. `at` is epoch ms. */
  lost: { reason: string; at: number } | null;
  /** Null for a row that was never called. */
  activity: RowActivityRecord | null;
};

/** A row with what is known of it. */
export type KnownRow = Known & { record: RowRecord; state: RowStateName };

/** What is known of all rows, for lists. */
export type RowStates = {
  /** All rows, as the next call would find them. */
  readAll(seen?: SeenRevision): Promise<{ rows: KnownRow[]; directory: Directory }>;
};
