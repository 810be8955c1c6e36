import type { Json } from "@hub/connector";
import type { Invocation, Operation } from "../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { Row } from "../connectors/row-directory.ts";
import { HubError, toInvalidParams } from "../errors.ts";
import { yieldToEventLoop } from "../lib/yield-to-event-loop.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { Mask } from "../secrets/mask.ts";
import type { RowSecrets } from "../secrets/row-secrets.ts";
import { secretsMax } from "./call-mask.ts";
import { checkHubPath } from "./check-hub-path.ts";
import { checkParams } from "./check-params.ts";
import { checkSetup } from "./check-setup.ts";
import {
  type CallPath,
  checkEnabled,
  checkPresent,
  checkVisible,
  findTarget,
  type Target,
} from "./find-operation.ts";
import { fitParams } from "./fit-params.ts";
import type { SentParams } from "./guesses/count-guesses.ts";
import type { GuessLimiter } from "./guesses/limit-guesses.ts";
import {
  findMixedInputs,
  maskSecretInputs,
  type OpenedParams,
  openLargeTokens,
  openParams,
  openWithPresentKeys,
} from "./open-params.ts";
import type { Recording } from "./open-recording.ts";
import type { CallContext, ExecuteRequest, SealedResult } from "./operations.ts";
import { type RecordDeps, recordCall } from "./record-call.ts";
import { type RunDeps, runInConnector } from "./run-in-connector.ts";
import { parseToolId } from "./tool-id.ts";
import type { RightWatch, WatchedCall } from "./watch-right.ts";
import { describeWidget, maskWidget, openWidget, takeFields } from "./widget-call.ts";

export type ExecuteDeps = RecordDeps &
  RunDeps & {
    rights: RightWatch;
    registry: ConnectorRegistry;
    guessLimiter: GuessLimiter;
    /** The random id of this hub. */
    readHubId(): Promise<string>;
  };

const timeoutMsDefault = 180_000;
/** Of a large request, the hub holds the text, its parsed value, the opened value and what it sends. */
const bytesOfChar = 4;

/** The checked params of an operation, and the data of the widget that calls it. */
type CallValues = Pick<Invocation, "params" | "widget">;

/**
 * Runs one operation: record( find → check → open → validate → invoke ) → seal. This is the only
 * path to a connector's operations, for all callers and transports.
 */
export async function executeOperation(
  deps: ExecuteDeps,
  ctx: CallContext,
  given: ExecuteRequest,
  path: CallPath,
): Promise<SealedResult> {
  // Only tests have widgets, so a client's call cannot contain one.
  const { toolId, params, fields } = given;
  const sent: ExecuteRequest = path === "client" ? { toolId, params } : given;
  let watched: WatchedCall | null = null;
  const run = async (recording: Recording) => {
    if (ctx.largeChars) recording.budget().holdBytes(ctx.largeChars * bytesOfChar);
    const target = findTarget(deps, recording.directory, toolId);
    if (target === null) {
      checkPresent(deps, recording.directory, { caller: ctx.caller, toolId });
    }
    checkVisible(ctx.caller, target, path);
    const fitted = await fitParams(target, params);
    const request: ExecuteRequest = { ...sent, params: fitted.params };
    if (ctx.largeChars && target.operation.fromRow !== undefined) await yieldToEventLoop();
    // Only after the check: callers can read their own records, which must not reveal a hidden row.
    describeTarget(deps, recording, target, request);
    if (ctx.largeChars) await yieldToEventLoop();
    if (fitted.issues.length > 0) throw toInvalidParams(fitted.issues);
    checkEnabled(recording.directory, target, path);
    await checkHubPath(deps, ctx);
    const { row, connector, operation } = target;
    watched = deps.rights.begin(ctx, recording.runId, { target, path });
    const answer = await runInConnector(
      deps,
      { ctx: watched === null ? ctx : deps.rights.toContext(watched), recording, row, connector },
      {
        name: "operation",
        timeoutMs: operation.timeoutMs ?? timeoutMsDefault,
        prepare: () => prepareValues(deps, ctx, recording, target, request),
        run: (call, values) =>
          connector.invoke({
            ...call,
            operation: operation.key,
            ...(operation.fromRow && { rowOperation: operation.fromRow.readRowOperation() }),
            ...(ctx.workflow && { idempotencyKey: ctx.workflow.idempotencyKey }),
            ...values,
          }),
      },
    );
    if (path !== "client") takeFields(target, recording.mask, answer, request.widget);
    return answer;
  };
  try {
    return await recordCall(deps, ctx, describeUnknown(sent), run, { fields });
  } finally {
    // After the record: what was done is recorded, also if its caller may no longer know of it.
    if (watched !== null) await deps.rights.end(watched);
  }
}

/** Opens and checks the values of the call, after the row is known to be ready. */
async function prepareValues(
  deps: ExecuteDeps,
  ctx: CallContext,
  recording: Recording,
  target: Target,
  request: ExecuteRequest,
): Promise<CallValues> {
  const { mask } = recording;
  const { widget } = request;
  // A host of version 1 does not check a widget's input, and plugins rely on that.
  const isUnchecked = widget !== undefined && target.connector.protoVersion === 1;
  if (!isUnchecked) checkSetup(target);
  const { inputFields: fields } = target.operation;
  const owner = { userId: ctx.caller.userId, rowId: target.row.id };
  const { isChat } = target.connector;
  const large = isChat ? null : openLargeTokens({ ring: deps.ring, mask }, owner, request.params);
  const before = large === null ? null : await large;
  const open = (ring: KeyRing) => ({
    ...(isChat
      ? keepTokens(mask, request.params)
      : openParams({ ring, mask, fields, before }, owner, request.params)),
    ...(widget && { widget: openWidget(target, { ring, mask, owner }, widget) }),
  });
  const opened = await openWithPresentKeys(deps.ring, open);
  // Before the needles of many secrets are built, other requests work.
  if (large !== null || ctx.largeChars) await yieldToEventLoop();
  describeOpened(deps, recording, target, request, opened.params);
  if (ctx.largeChars) await yieldToEventLoop();
  const params = isUnchecked ? opened.params : await checkParams(target, opened);
  if (ctx.largeChars) await yieldToEventLoop();
  // Only now, because no message of a call that is refused before confirms a guess. A chat gets its tokens as
  // they are, and the row's secrets as tokens.
  const guesses = isChat ? request.params : opened.params;
  const sent = { operation: target.operation.key, params: [guesses, opened.widget] };
  limitGuesses(deps, ctx, recording, target.row, sent);
  if (ctx.largeChars) await yieldToEventLoop();
  return { params, ...(opened.widget && { widget: opened.widget }) };
}

/** Refuses a call that guesses more than its user may: see `guesses/limit-guesses.ts`. */
export function limitGuesses(
  { guessLimiter }: ExecuteDeps,
  { caller }: CallContext,
  recording: Recording,
  row: Row,
  sent: SentParams,
): void {
  // Most rows end here, before their configuration is read again.
  const secrets = recording.leavesTextsOut() ? findRowSecrets(row) : null;
  if (secrets === null) return;
  const admitted = guessLimiter.admit({ userId: caller.userId, row, secrets }, sent);
  if (admitted !== null) recording.require(admitted);
}

/** People read what a chat sends: a token stays a token, and a secret of the row becomes one. */
function keepTokens(mask: Mask, params: Record<string, unknown>): OpenedParams {
  // Masks keep the names of members and JSON values.
  const kept = mask.sealJson(params) as Record<string, unknown>;
  return { params: kept, opened: new Set() };
}

/** The audit row until the tool is found. It has no params, because they could contain secrets. */
function describeUnknown(request: ExecuteRequest) {
  const address = parseToolId(request.toolId);
  return {
    connectorId: address?.rowId ?? null,
    rowLabel: null,
    operationKey: address?.operationKey ?? "hub_execute",
    request: omit("The call was refused before its tool was found, so its params were not stored."),
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

/** Records the parts of the request that may be stored. */
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
    inputFields: target.operation.inputFields,
  });
}

/** Records the text around a token in a secret input together with the token, as one new token. */
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
  // Without a mask, the opened values would be recorded in plaintext.
  if (mixed.length === 0 || !isMaskingEnabled) return;
  const whole = { ...params, ...Object.fromEntries(mixed.map((key) => [key, opened[key]])) };
  describeRequest(recording, target, { ...request, params: whole });
}

/**
 * Binds the call to its row and adds the row's secrets. A refused call is recorded too, and its
 * params may quote the secrets.
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
    `"${label}" has ${count} secret values, and a call can use at most ${secretsMax}. Ask an admin to split the row into several rows.`,
  );
}

/** The secrets of a row; null if they cannot be read. */
export function findRowSecrets(row: Row): RowSecrets | null {
  try {
    return row.config().secrets;
  } catch {
    // If the call needs the secrets, it fails later with the reason.
    return null;
  }
}

/** A misspelt name may be meant for a secret field, so its value is not stored. */
function keepKnown(
  { inputFields, fromRow }: Operation,
  params: Record<string, unknown>,
  hidden: readonly string[],
): Record<string, Json> {
  const known = new Set(inputFields.map((field) => field.key));
  for (const key of hidden) known.delete(key);
  // A schema may allow names that it does not list.
  const hasMore = fromRow?.hasOtherParams() === true;
  const isKnown = ([name]: [string, unknown]) =>
    known.has(name) || (hasMore && !hidden.includes(name));
  const entries = Object.entries(params);
  if (entries.every(isKnown)) return params;
  return {
    ...Object.fromEntries(entries.filter(isKnown)),
    ...omit(
      "Not stored: values of unknown params, and secrets with text around a token that did not open.",
    ),
  };
}

function omit(reason: string): Record<string, Json> {
  return { _omitted: reason };
}
