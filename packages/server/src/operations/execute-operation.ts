import type { Json, OperationSpec } from "@hub/connector";
import type { Invocation } from "../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { Row } from "../connectors/row-directory.ts";
import { HubError } from "../errors.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { Mask } from "../secrets/mask.ts";
import type { RowSecrets } from "../secrets/row-secrets.ts";
import { secretsMax } from "./call-mask.ts";
import { checkParams } from "./check-params.ts";
import { checkSetup } from "./check-setup.ts";
import {
  type CallPath,
  checkEnabled,
  checkVisible,
  findTarget,
  type Target,
} from "./find-operation.ts";
import {
  findMixedInputs,
  maskSecretInputs,
  openParams,
  openWithPresentKeys,
} from "./open-params.ts";
import type { Recording } from "./open-recording.ts";
import type { CallContext, ExecuteRequest, SealedResult } from "./operations.ts";
import { type RecordDeps, recordCall } from "./record-call.ts";
import { type RunDeps, runInConnector } from "./run-in-connector.ts";
import { parseToolId } from "./tool-id.ts";
import { describeWidget, maskWidget, openWidget, takeFields } from "./widget-call.ts";

export type ExecuteDeps = RecordDeps & RunDeps & { registry: ConnectorRegistry };

const timeoutMsDefault = 180_000;

/** What an operation is called with: checked params, and what the widget that calls it sends. */
type CallValues = Pick<Invocation, "params" | "widget">;

/**
 * Runs one operation: record( find → check → open → validate → invoke ) → seal. The one way to a
 * connector's operation, whoever asks and by whichever door.
 */
export function executeOperation(
  deps: ExecuteDeps,
  ctx: CallContext,
  given: ExecuteRequest,
  path: CallPath,
): Promise<SealedResult> {
  // Widgets are the manager's: no client's call becomes one of theirs.
  const { toolId, params } = given;
  const request: ExecuteRequest = path === "manager" ? given : { toolId, params };
  return recordCall(deps, ctx, describeUnknown(request), async (recording) => {
    const target = findTarget(deps, recording.directory, request.toolId);
    checkVisible(ctx.caller, target, path);
    // Not before: callers read their own records, which must not tell of a row that is hidden.
    describeTarget(deps, recording, target, request);
    checkEnabled(recording.directory, target, path);
    const { row, connector, operation } = target;
    const answer = await runInConnector(
      deps,
      { ctx, recording, row, connector },
      {
        name: "operation",
        timeoutMs: operation.timeoutMs ?? timeoutMsDefault,
        prepare: () => prepareValues(deps, ctx, recording, target, request),
        run: (call, values) => connector.invoke({ ...call, operation: operation.key, ...values }),
      },
    );
    if (path === "manager") takeFields(target, recording.mask, answer, request.widget);
    return answer;
  });
}

/** What the operation is called with, once the row is known to be ready for a call. */
async function prepareValues(
  deps: ExecuteDeps,
  ctx: CallContext,
  recording: Recording,
  target: Target,
  request: ExecuteRequest,
): Promise<CallValues> {
  const { mask } = recording;
  const { widget } = request;
  // A host of version 1 checks nothing of what a widget sends, and plugins count on that.
  const isUnchecked = widget !== undefined && target.connector.protoVersion === 1;
  if (!isUnchecked) checkSetup(target);
  const { inputFields: fields } = target.operation;
  const owner = { userId: ctx.caller.userId, rowId: target.row.id };
  const open = (ring: KeyRing) => ({
    ...openParams({ ring, mask, fields }, owner, request.params),
    ...(widget && { widget: openWidget(target, { ring, mask, owner }, widget) }),
  });
  const opened = await openWithPresentKeys(deps.ring, open);
  describeOpened(deps, recording, target, request, opened.params);
  const params = isUnchecked ? opened.params : checkParams(target, opened);
  return { params, ...(opened.widget && { widget: opened.widget }) };
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
  target: Target,
  request: ExecuteRequest,
): void {
  const { params, widget } = request;
  const { mask } = recording;
  const ring = deps.ring.current();
  maskRowSecrets(mask, target.row);
  const secrets = { ring, mask, fields: target.operation.inputFields };
  maskSecretInputs(secrets, params);
  if (widget) maskWidget(target, ring, mask, widget);
  describeRequest(recording, target, request, findMixedInputs(secrets, params));
}

/** Records of the request what may be kept. */
function describeRequest(
  recording: Recording,
  target: Target,
  { params, widget }: ExecuteRequest,
  hidden: readonly string[] = [],
): void {
  const known = keepKnown(target.operation, params, hidden);
  const more = widget ? describeWidget(target, widget) : null;
  recording.describe({
    rowLabel: target.row.label,
    connectorKey: target.connector.key,
    request: more === null ? known : { ...known, ...more },
    isRequestPartial: known !== params || more !== null,
  });
}

/** What stands around a token in a secret input is on record with it, as one token. */
function describeOpened(
  { ring, isMaskingEnabled }: ExecuteDeps,
  recording: Recording,
  target: Target,
  request: ExecuteRequest,
  opened: Record<string, unknown>,
): void {
  const { params } = request;
  const { inputFields: fields } = target.operation;
  const mixed = findMixedInputs({ ring: ring.current(), fields }, params);
  // Without a mask they would be recorded as they were opened.
  if (mixed.length === 0 || !isMaskingEnabled) return;
  const whole = { ...params, ...Object.fromEntries(mixed.map((key) => [key, opened[key]])) };
  describeRequest(recording, target, { ...request, params: whole });
}

/**
 * Binds the call to its row and adds the row's secrets. Also for a call that will be refused: it is
 * on record, and its params may quote them.
 */
export function maskRowSecrets(mask: Pick<Mask, "bindRow" | "addRowSecrets">, row: Row): void {
  mask.bindRow(row.id);
  const secrets = findRowSecrets(row);
  if (secrets === null) return;
  if (secrets.texts.length > secretsMax) throw refuseRow(row, secrets.texts.length);
  mask.addRowSecrets(secrets);
}

function refuseRow({ label }: Row, count: number): HubError {
  return new HubError(
    "needs_setup",
    `"${label}" holds ${count} secret values, and a call can keep at most ${secretsMax}. Ask an admin to divide them among several rows.`,
  );
}

function findRowSecrets(row: Row): RowSecrets | null {
  try {
    return row.config().secrets;
  } catch {
    // A call that gets as far as to need them fails with the reason.
    return null;
  }
}

/** A misspelt name may be that of a secret field: its value is not for keeping. */
function keepKnown(
  { inputFields }: OperationSpec,
  params: Record<string, unknown>,
  hidden: readonly string[],
): Record<string, Json> {
  const known = new Set(inputFields.map((field) => field.key));
  for (const key of hidden) known.delete(key);
  const isKnown = ([name]: [string, unknown]) => known.has(name);
  const entries = Object.entries(params);
  if (entries.every(isKnown)) return params;
  return {
    ...Object.fromEntries(entries.filter(isKnown)),
    ...omit(
      "Not kept: values of names that the operation does not have, and of secrets with text around a token that did not open.",
    ),
  };
}

function omit(reason: string): Record<string, Json> {
  return { _omitted: reason };
}
