import type { DiscoveryReport } from "@hub/contract/row-discovery.ts";
import type { Actor } from "../../../changes/actor.ts";
import {
  type ComparedOperations,
  compareDiscovery,
} from "../../../connectors/by-row/compare-discovery.ts";
import { toHubError } from "../../../errors.ts";
import { cutLine } from "../../../lib/text/cut-line.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import { toRecordedMessage } from "../../../operations/masking/program-output.ts";
import { transaction } from "../../../store/database/database.ts";
import {
  findRowDiscovery,
  type LeftOutOperation,
  storeRowDiscovery,
} from "../../../store/rows/row-discoveries-table.ts";
import type { StoredOperation } from "../../../store/rows/row-operations-table.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";
import { type TestContext, toCallContext } from "../test-row.ts";
import { changeOperations, namedMax } from "./change-operations.ts";
import { readDiscovery } from "./present-review.ts";

type DiscoverDeps = Pick<ServiceDeps, "store" | "operations" | "discoveries" | "config" | "now">;

/** All that a discovery names, which is about twice as many as a row may have. */
const leftOutMax = 10_010;
const leftOutNameCharsMax = 100;
const leftOutReasonCharsMax = 300;

/**
 * Asks the row's outside system for its operations and stores them. What is new or changed waits for
 * an admin, unless `HUB_BRIDGE_TRUST` is `row`. A failure is stored too, and leaves the operations as
 * they are.
 */
export async function discoverRow(
  deps: DiscoverDeps,
  actor: Actor,
  ctx: TestContext,
  rowId: string,
  { document }: { document?: string | undefined } = {},
): Promise<DiscoveryReport> {
  const { id } = await loadRow(deps.store.db, rowId);
  const release = await deps.discoveries.enter({ owner: ctx.caller.userId }, ctx.signal);
  try {
    return await discoverAdmitted(deps, actor, ctx, id, document);
  } finally {
    release();
  }
}

async function discoverAdmitted(
  deps: DiscoverDeps,
  actor: Actor,
  ctx: TestContext,
  id: string,
  document: string | undefined,
): Promise<DiscoveryReport> {
  const { operations, config } = deps;
  const request = { rowId: id, ...(document !== undefined && { document }) };
  const found = await operations.rows
    .discover(toCallContext(ctx), request)
    .catch(async (thrown) => {
      await storeFailure(deps, id, toRecordedMessage(toHubError(thrown)));
      throw thrown;
    });
  const isTrusted = config.bridgeTrust === "row";
  return await changeOperations(deps, actor, id, async ({ trx, row, stored, at, save }) => {
    // Each step takes some ten milliseconds for thousands of operations.
    await yieldToEventLoop();
    const compared = compareDiscovery(stored, found, { at, isTrusted });
    await yieldToEventLoop();
    const isChanged = !areSame(stored, compared.operations);
    await yieldToEventLoop();
    const change = { action: "row.discover", detail: toNamed(compared) } as const;
    const present = isChanged ? await save(compared.operations, change) : row;
    const isFromDocument = document !== undefined;
    const leftOut = toShown(found.leftOut);
    const discovery = { triedAt: at, discoveredAt: at, isFromDocument, failure: null, leftOut };
    await storeRowDiscovery(trx, id, discovery);
    return { ...(await readDiscovery(trx, present, compared.operations)), ...toNamed(compared) };
  });
}

function toShown(leftOut: readonly LeftOutOperation[]): LeftOutOperation[] {
  return leftOut.slice(0, leftOutMax).map((one) => ({
    ...one,
    sourceName: cutLine(one.sourceName, leftOutNameCharsMax),
    reason: cutLine(one.reason, leftOutReasonCharsMax),
  }));
}

function toNamed({ added, changed, gone }: ComparedOperations) {
  return {
    added: added.slice(0, namedMax),
    changed: changed.slice(0, namedMax),
    gone: gone.slice(0, namedMax),
  };
}

function areSame(before: readonly StoredOperation[], after: readonly StoredOperation[]): boolean {
  if (before.length !== after.length) return false;
  return before.every((operation, index) => Bun.deepEquals(operation, after[index]));
}

async function storeFailure(
  { store, now }: DiscoverDeps,
  id: string,
  failure: string,
): Promise<void> {
  const triedAt = now();
  await transaction(store.db, async (trx) => {
    const last = await findRowDiscovery(trx, id);
    const before = last ?? { discoveredAt: null, isFromDocument: false, leftOut: [] };
    await storeRowDiscovery(trx, id, { ...before, triedAt, failure });
  });
}
