import type { Json, OperationSpec } from "@hub/connector";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { Row } from "../connectors/row-directory.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { Mask } from "../secrets/mask.ts";
import { type CallLimiter, toRowLimit } from "./call-limits.ts";
import { checkParams } from "./check-params.ts";
import { checkSetup } from "./check-setup.ts";
import {
  type CallPath,
  checkEnabled,
  checkVisible,
  findTarget,
  type Target,
} from "./find-operation.ts";
import { invokeConnector } from "./invoke-connector.ts";
import { maskSecretInputs, openParams, openWithPresentKeys } from "./open-params.ts";
import type { Recording } from "./open-recording.ts";
import type { CallContext, ExecuteRequest, SealedResult } from "./operations.ts";
import { type RecordDeps, recordCall } from "./record-call.ts";
import { parseToolId } from "./tool-id.ts";

export type ExecuteDeps = RecordDeps &
  Parameters<typeof invokeConnector>[0] & {
    registry: ConnectorRegistry;
    rowLimiter: CallLimiter;
  };

/**
 * Runs one operation: record( find → check → open → validate → invoke ) → seal. The one way to a
 * connector's operation, whoever asks and by whichever door.
 */
export function executeOperation(
  deps: ExecuteDeps,
  ctx: CallContext,
  request: ExecuteRequest,
  path: CallPath,
): Promise<SealedResult> {
  return recordCall(deps, ctx, describeUnknown(request), async (recording) => {
    const target = findTarget(deps, recording.directory, request.toolId);
    checkVisible(ctx.caller, target, path);
    // Not before: callers read their own records, which must not tell of a row that is hidden.
    describeTarget(deps, recording, target, request);
    checkEnabled(recording.directory, target, path);
    const leave = deps.rowLimiter.enter(target.row.id, toRowLimit(recording.directory.settings));
    try {
      const params = await prepareParams(deps, ctx, recording, target, request);
      await recording.begin();
      return await invokeConnector(deps, ctx, recording, target, params);
    } finally {
      leave();
    }
  });
}

/** The params as the operation gets them, once the row is known to be ready for a call. */
async function prepareParams(
  deps: ExecuteDeps,
  ctx: CallContext,
  recording: Recording,
  target: Target,
  request: ExecuteRequest,
): Promise<Record<string, unknown>> {
  const { mask } = recording;
  checkSetup(target);
  const { inputFields: fields } = target.operation;
  const owner = { userId: ctx.caller.userId, rowId: target.row.id };
  const open = (ring: KeyRing) => openParams({ ring, mask, fields }, owner, request.params);
  return checkParams(target, await openWithPresentKeys(deps.ring, open));
}

/** What the audit row says until the tool is known to be there: its params could hold anything. */
function describeUnknown(request: ExecuteRequest) {
  const address = parseToolId(request.toolId);
  return {
    connectorId: address?.rowId ?? null,
    rowLabel: null,
    operationKey: address?.operationKey ?? "hub_execute",
    request: omit("The call was refused before its tool was found; its params were not kept."),
    isRequestPartial: true,
  };
}

function describeTarget(
  deps: ExecuteDeps,
  recording: Recording,
  { row, operation }: Target,
  { params }: ExecuteRequest,
): void {
  const { mask } = recording;
  maskRowSecrets(mask, row);
  maskSecretInputs({ ring: deps.ring.current(), mask, fields: operation.inputFields }, params);
  const request = keepKnown(operation, params);
  recording.describe({ rowLabel: row.label, request, isRequestPartial: request !== params });
}

/**
 * Binds the call to its row and adds the row's secrets. Also for a call that will be refused: it is
 * on record, and its params may quote them.
 */
export function maskRowSecrets(mask: Pick<Mask, "bindRow" | "addSecret">, row: Row): void {
  mask.bindRow(row.id);
  for (const secret of listRowSecrets(row)) mask.addSecret(secret, { ofRow: true });
}

function listRowSecrets(row: Row): readonly string[] {
  try {
    return row.config().secrets;
  } catch {
    // A call that gets as far as to need them fails with the reason.
    return [];
  }
}

/** A misspelt name may be that of a secret field: its value is not for keeping. */
function keepKnown({ inputFields }: OperationSpec, params: Record<string, unknown>): Json {
  const known = new Set(inputFields.map((field) => field.key));
  const isKnown = ([name]: [string, unknown]) => known.has(name);
  const entries = Object.entries(params);
  if (entries.every(isKnown)) return params;
  return {
    ...Object.fromEntries(entries.filter(isKnown)),
    ...omit("Values of names that the operation does not have were not kept."),
  };
}

function omit(reason: string): Record<string, Json> {
  return { _omitted: reason };
}
