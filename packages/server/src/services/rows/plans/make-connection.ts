import type { MadeConnection } from "@hub/contract/connection-plan.ts";
import { toFieldLabel } from "@hub/contract/field-label.ts";
import type { RowDetail } from "@hub/contract/row.ts";
import type { RowStateName } from "@hub/contract/row-state.ts";
import type { Actor } from "../../../changes/actor.ts";
import { recordChange, stampChange } from "../../../changes/record-change.ts";
import { HubError } from "../../../errors.ts";
import { checkInput } from "../../../lib/input/check-input.ts";
import { storeRowDiscovery } from "../../../store/rows/row-discoveries-table.ts";
import {
  replaceRowOperations,
  type StoredOperation,
} from "../../../store/rows/row-operations-table.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { stampAccess, writeAccess } from "../access/set-access.ts";
import { namedMax } from "../discovery/change-operations.ts";
import { addRow } from "../manage-rows.ts";
import type { TestContext } from "../test-row.ts";
import { readRowState } from "../views/visible-rows.ts";
import { serversSchema } from "./address-schema.ts";
import { chooseApproved } from "./choose-approved.ts";
import {
  examineOperations,
  readPlannedKind,
  toNewOperations,
  toPlanDigest,
} from "./present-plan.ts";
import { type FoundSystem, type PlanDeps, readSystem, type SystemInput } from "./read-system.ts";

type MakeDeps = PlanDeps & Pick<ServiceDeps, "ring" | "now" | "config">;

export type ConnectionInput = SystemInput & {
  /** That of the plan that was shown. */
  digest: string;
  label: string;
  description?: string | undefined;
  /** The addresses that calls may go to. The first one is the base URL. */
  servers: readonly string[];
  /** What is approved: all that only read, all, or the operations with these keys. */
  approve: "reads" | "all" | readonly string[];
  tags: readonly string[];
  /** Ids of users who get access by the row's own tag. */
  people: readonly string[];
};

/**
 * Makes a row of what a plan has shown, with its operations, approvals and access, in one transaction.
 * The address is read again before. Throws `conflict` if its operations have changed since; then
 * nothing is made.
 */
export async function makeConnection(
  deps: MakeDeps,
  actor: Actor,
  ctx: TestContext,
  input: ConnectionInput,
): Promise<MadeConnection> {
  const kind = readPlannedKind(input.digest);
  if (kind === null) throw toChanged();
  const system = await readSystem(deps, ctx, input, kind);
  const at = deps.now();
  const isTrusted = deps.config.bridgeTrust === "row";
  const found = toNewOperations(system, { at, isTrusted });
  const { digest, warned } = await examineOperations(found);
  if (toPlanDigest(system.kind, digest) !== input.digest) throw toChanged();
  const approved = chooseApproved(found, warned, input.approve);
  const operations = found.map((one) => (approved.has(one.key) ? { ...one, approvedAt: at } : one));
  const give = [...input.people];
  const stamps = stampAccess(actor, at, { give });
  const [discovered, reviewed] = [stampChange(actor, at), stampChange(actor, at)];
  const operationsId = crypto.randomUUID();
  const row = await addRow(
    deps,
    actor,
    {
      connector: system.connector,
      label: input.label,
      description: input.description ?? "",
      tags: [...input.tags],
      values: { ...system.values, ...toServers(system, input.servers) },
    },
    {
      async complete(trx, id) {
        const of = { kind: "row", id, name: input.label.trim() } as const;
        if (!system.needsAuthentication) {
          await replaceRowOperations(trx, id, { operationsId, before: [], operations }, at);
          await storeRowDiscovery(trx, id, toDiscovery(system, at));
          const added = found.slice(0, namedMax).map(({ key }) => key);
          const detail = { added, count: found.length };
          await recordChange(trx, discovered, { action: "row.discover", ...of, detail });
        }
        if (approved.size > 0) {
          const keys = [...approved].slice(0, namedMax);
          const detail = { operations: keys, count: approved.size };
          await recordChange(trx, reviewed, { action: "row.approve", ...of, detail });
        }
        if (give.length > 0) await writeAccess(trx, id, { give, take: [] }, stamps);
      },
    },
  );
  const { state } = await readRowState(deps, ctx.caller, row.id);
  const fields = deps.registry.find(row.connector)?.configFields ?? [];
  const lacked = fields.filter(({ key }) => row.missing?.includes(key)).map(toFieldLabel);
  return present(system, { ...row, missing: lacked }, state.name, operations);
}

function toDiscovery({ address, found: { leftOut } }: FoundSystem, at: number) {
  return {
    triedAt: at,
    discoveredAt: at,
    isFromDocument: address === null,
    failure: null,
    leftOut,
  };
}

function toChanged(): HubError {
  return new HubError(
    "conflict",
    "What is at the address has changed since it was shown. Nothing was made. Read it again, and look at the operations.",
  );
}

/** Of an API: the first address is the base URL, and the others are admitted. */
function toServers({ kind }: FoundSystem, servers: readonly string[]): Record<string, unknown> {
  if (kind === "mcp") return {};
  const [base, ...others] = checkInput(serversSchema, { servers }).servers;
  return {
    base_url: base,
    ...(others.length > 0 && { other_servers: others.map((url) => ({ url })) }),
  };
}

function present(
  system: FoundSystem,
  { id, connector, label, logo, missing }: RowDetail,
  state: RowStateName,
  operations: readonly StoredOperation[],
): MadeConnection {
  const approved = operations.filter(({ approvedAt }) => approvedAt !== null);
  return {
    id,
    connector,
    label,
    logo,
    state,
    note: toNote(system, missing ?? [], approved.length),
    approved: approved.length,
    waiting: operations.length - approved.length,
    try_operation: findTried(approved),
  };
}

/** Schemas that are looked at for a test without inputs. */
const lookedAtMax = 50;

/** One that only reads and needs no inputs, if there is one. */
function findTried(approved: readonly StoredOperation[]): string | null {
  const reads = approved.filter(({ definition }) => !definition.destructive);
  const plain = reads.slice(0, lookedAtMax).find(({ definition }) => {
    const { required } = Object(JSON.parse(definition.inputSchema));
    return !Array.isArray(required) || required.length === 0;
  });
  return (plain ?? reads[0] ?? approved[0])?.key ?? null;
}

/** What is missing before an operation can be called. */
function toNote(
  { values, needsAuthentication }: FoundSystem,
  missing: readonly string[],
  approved: number,
): string | null {
  if (missing.length > 0) return `Still to be set: ${missing.join(", ")}.`;
  if (values.auth_mode === "oauth") {
    return "Connect the row by a sign-in at the server, then discover its operations.";
  }
  if (needsAuthentication) {
    return "The server asks for authentication. Set it, then discover the operations.";
  }
  return approved > 0 ? null : "No operation is approved yet, so nothing can be called.";
}
