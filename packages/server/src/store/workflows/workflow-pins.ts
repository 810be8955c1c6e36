import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** A pinned output without its value. */
export type PinMark = {
  nodeId: string;
  /** Of its JSON. */
  bytes: number;
  pinnedBy: string;
  pinnedAt: number;
};

/** An output as JSON, with value tokens of the owner. */
export type PinnedOutput = PinMark & { output: string };

/** The workflow and its owner: only pins of the owner count. */
export type PinScope = { workflowId: string; ownerId: string };

/** The pins of a workflow, by node. */
export async function listPinMarks(db: Db, scope: PinScope): Promise<PinMark[]> {
  return await selectPins(db, scope)
    .select(["node_id as nodeId", "bytes", "pinned_by as pinnedBy", "pinned_at as pinnedAt"])
    .execute();
}

/** The pinned outputs, as JSON by the id of their node. */
export async function readPins(db: Db, scope: PinScope): Promise<ReadonlyMap<string, string>> {
  const pins = await selectPins(db, scope).select(["node_id as nodeId", "output"]).execute();
  return new Map(pins.map(({ nodeId, output }) => [nodeId, output]));
}

function selectPins(db: Db, { workflowId, ownerId }: PinScope) {
  return toKysely(db)
    .selectFrom("workflow_pins")
    .where("workflow_id", "=", workflowId)
    .where("owner_id", "=", ownerId)
    .orderBy("node_id");
}

/** Sets or replaces the pin of a node. Those of former owners are removed. */
export async function putPin(
  trx: Transaction,
  { workflowId, ownerId }: PinScope,
  { nodeId, output, bytes, pinnedBy, pinnedAt }: PinnedOutput,
): Promise<void> {
  await toKysely(trx)
    .deleteFrom("workflow_pins")
    .where("workflow_id", "=", workflowId)
    .where((where) => where.or([where("owner_id", "!=", ownerId), where("node_id", "=", nodeId)]))
    .execute();
  await toKysely(trx)
    .insertInto("workflow_pins")
    .values({
      workflow_id: workflowId,
      node_id: nodeId,
      owner_id: ownerId,
      output,
      bytes,
      pinned_by: pinnedBy,
      pinned_at: pinnedAt,
    })
    .execute();
}

/** False if the node has no pin. */
export async function deletePin(
  trx: Transaction,
  workflowId: string,
  nodeId: string,
): Promise<boolean> {
  const { numDeletedRows } = await toKysely(trx)
    .deleteFrom("workflow_pins")
    .where("workflow_id", "=", workflowId)
    .where("node_id", "=", nodeId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Removes the pins of nodes that the draft no longer has. */
export async function deleteGonePins(
  trx: Transaction,
  workflowId: string,
  nodeIds: ReadonlySet<string>,
): Promise<void> {
  const pins = await toKysely(trx)
    .selectFrom("workflow_pins")
    .select("node_id as nodeId")
    .where("workflow_id", "=", workflowId)
    .execute();
  for (const { nodeId } of pins) {
    if (!nodeIds.has(nodeId)) await deletePin(trx, workflowId, nodeId);
  }
}

/**
 * Removes the pins that no test can use: of former owners, and of workflows that a server of the version before, which
 * knows no pins, has deleted.
 */
export async function deleteUnusedPins(db: Db): Promise<void> {
  await toKysely(db)
    .deleteFrom("workflow_pins")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("workflows")
            .select("workflows.id")
            .whereRef("workflows.id", "=", "workflow_pins.workflow_id")
            .whereRef("workflows.owner_id", "=", "workflow_pins.owner_id")
            .where("workflows.deleted_at", "is", null),
        ),
      ),
    )
    .execute();
}
