import type { Db } from "./tables.ts";

/** Whether a connector type is switched off; types that never were are not listed. */
export type TypeState = { connectorKey: string; disabled: boolean };

/** False when there is no such row. */
export declare function setOperationState(
  db: Db,
  rowId: string,
  operationKey: string,
  enabled: boolean,
): Promise<boolean>;
export declare function setTypeState(
  db: Db,
  connectorKey: string,
  disabled: boolean,
): Promise<void>;
export declare function listTypeStates(db: Db): Promise<TypeState[]>;
