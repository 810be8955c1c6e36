import type { Db, InstanceKind } from "./tables.ts";

/** A running process of the hub. */
export type InstanceRecord = {
  id: string;
  kind: InstanceKind;
  pid: number;
  hostname: string;
  startedAt: number;
  heartbeatAt: number;
};

export declare function insertInstance(
  db: Db,
  instance: Omit<InstanceRecord, "heartbeatAt">,
): Promise<void>;
/** False when someone removed the instance, taking it for dead. */
export declare function beatInstance(db: Db, id: string, at: number): Promise<boolean>;
export declare function removeInstance(db: Db, id: string): Promise<void>;
/** Oldest first. */
export declare function listInstances(db: Db): Promise<InstanceRecord[]>;
