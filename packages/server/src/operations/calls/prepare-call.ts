import type { Issue } from "@hub/connector";
import { resolveAccount, type UsedAccount } from "../../connectors/accounts/resolve-account.ts";
import type { Invocation } from "../../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import { HubError, toInvalidParams } from "../../errors.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import type { Db } from "../../store/database/database.ts";
import { admit } from "../admission/admit.ts";
import type { Admitted, CallPath, ToolCall, World } from "../admission/call.ts";
import { isUncheckedClick } from "../admission/setup.ts";
import { findToolCall } from "../catalogue/find-operation.ts";
import { resolveTool } from "../catalogue/resolve-tool.ts";
import { maskRowSecrets } from "../masking/mask-row.ts";
import type { CheckContext, ExecuteRequest, WidgetCall } from "../operations.ts";
import { maskWidget, openWidget } from "../questions/widget-call.ts";
import { describeRequest, type RecordedRequest } from "../records/describe-request.ts";
import type { Recording } from "../records/recording.ts";
import { type CallDigest, digestCall } from "./call-digest.ts";
import { checkParams } from "./check-call-params.ts";
import { fitParams } from "./fit-params.ts";
import { keepsTokens, keepTokens } from "./keep-tokens.ts";
import { openManaged } from "./open-managed.ts";
import {
  findMixedInputs,
  maskSecretInputs,
  openLargeTokens,
  openParams,
  openWithPresentKeys,
} from "./open-params.ts";

export type PrepareDeps = {
  registry: ConnectorRegistry;
  ring: RingHolder;
  isMaskingEnabled: boolean;
  now(): number;
  /** The random id of this hub. */
  readHubId(): Promise<string>;
  /** Where the accounts of users are stored. */
  db: Db;
};

/** A call that its caller may make now. Its tokens are unopened, and its params unchecked. */
export type PreparedCall = {
  target: Admitted<ToolCall>;
  world: World;
  /** In the types that the operation's schema takes. */
  params: Record<string, unknown>;
  /** What is wrong with them already: texts that are too large to be read. */
  issues: readonly Issue[];
  widget?: WidgetCall | undefined;
  /** Whose access it uses. Absent if its row has no personal fields. */
  account?: UsedAccount;
  /** Why its user has no account for it. `openCall` throws it when the values are valid. */
  needsAccount: HubError | null;
  /** What the record has of it. */
  recorded: RecordedRequest;
  /** Made when it is asked for, since most calls are compared with none: see `digestCall`. */
  digest(keyId?: number): Promise<CallDigest | null>;
};

/** A call to prepare. */
type PrepareRequest = Omit<ExecuteRequest, "fields">;

/** A stored call has a whole tool id; what a caller names may have another form. */
type PreparedBy = { path: CallPath; isStored: boolean };

/** The checked params of an operation, and the data of the widget that calls it. */
export type CallValues = Pick<Invocation, "params" | "widget">;

/** Of a large request, the hub holds the text, its parsed value, the opened value and what it sends. */
const bytesOfChar = 4;

/**
 * Finds and admits a call: find → visibility → account → describe → fit → access. It runs nothing, so that a call and
 * its check are prepared by the same steps. From here on, the recording's mask has the secrets of the
 * row and of the params.
 */
export async function prepareCall(
  deps: PrepareDeps,
  { caller, hubs, largeChars, cause, origin }: CheckContext,
  recording: Recording,
  request: PrepareRequest,
  { path, isStored }: PreparedBy,
): Promise<PreparedCall> {
  const { params: given, widget, readsOnly, account } = request;
  if (largeChars) recording.budget().holdBytes(largeChars * bytesOfChar);
  const { directory } = recording;
  const world = { directory, registry: deps.registry, hubId: null, now: deps.now };
  const asker = {
    path,
    caller,
    hubs,
    readsOnly,
    isFromScript: cause?.kind === "script",
    hasWidget: widget !== undefined,
  };
  const found: ToolCall = isStored
    ? findToolCall(world, asker, request.toolId)
    : resolveTool(world, asker, request);
  admit(world, found, "visibility");
  if (found.row.prepare !== undefined) await found.row.prepare();
  const isByHand = origin.source !== "workflow" || origin.isByHand === true;
  const isPlain = found.row.access === "shared" && account === undefined;
  const access: TakenAccount = isPlain
    ? { target: found, used: null, failure: null }
    : await takeAccount(deps, found, { caller, account, isByHand });
  const { target } = access;
  const fitted = fitParams(target, given);
  const { params, issues } = fitted instanceof Promise ? await fitted : fitted;
  if (largeChars && target.operation.fromRow !== undefined) await yieldToEventLoop();
  // Only after the check: callers can read their own records, which must not reveal a hidden row.
  const recorded = maskTarget(deps, recording.mask, target, { params, widget });
  recording.describe({
    ...recorded,
    ...(access.used !== null && { account: describeAccount(recording.mask, access.used) }),
    connectorId: target.row.id,
    operationKey: target.operation.key,
  });
  if (largeChars) await yieldToEventLoop();
  admit(hubs?.length ? { ...world, hubId: await deps.readHubId() } : world, target, "access");
  // Only now: what its row, operation or right refuses needs no account.
  const { used, failure } = access;
  if (failure !== null && failure.code !== "needs_account") throw failure;
  const digest = (keyId?: number) => digestCall(deps.ring.current(), target, given, keyId);
  const about = { target, world, account: used, needsAccount: failure };
  return { ...about, params, issues, widget, recorded, digest };
}

type TakenAccount = {
  target: Admitted<ToolCall>;
  used: UsedAccount;
  /** Why the call may not use the row. */
  failure: HubError | null;
};

/** The call with the row as its user uses it. Only for rows with personal fields, and for calls that name an account. */
async function takeAccount(
  deps: PrepareDeps,
  target: Admitted<ToolCall>,
  asked: { caller: CheckContext["caller"]; account: string | undefined; isByHand: boolean },
): Promise<TakenAccount> {
  const { row, connector } = target;
  try {
    const { row: own, used } = await resolveAccount(deps, { ...asked, row, connector });
    return { target: { ...target, row: own }, used, failure: null };
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    return { target, used: null, failure: thrown };
  }
}

/** Users choose labels, which may hold a secret. */
export function describeAccount(mask: Mask, used: NonNullable<TakenAccount["used"]>): string {
  return used.kind === "shared" ? "shared" : `own: ${mask.sealText(used.label)}`;
}

/** Adds the secrets of the row and of the request to the mask; returns what may be recorded. */
function maskTarget(
  deps: Pick<PrepareDeps, "ring">,
  mask: Mask,
  target: Admitted<ToolCall>,
  request: Pick<PreparedCall, "params" | "widget">,
): RecordedRequest {
  const ring = deps.ring.current();
  maskRowSecrets(mask, target.row);
  const secrets = { ring, mask, fields: target.operation.inputFields };
  maskSecretInputs(secrets, request.params);
  if (request.widget) maskWidget(target, ring, mask, request.widget);
  return describeRequest(target, request, findMixedInputs(secrets, request.params));
}

/** The values that the connector gets, and what of them may be a guess of a secret of the row. */
export type OpenedCall = { values: CallValues; guesses: readonly unknown[] };

/** Opens and checks the values of a prepared call: start → open → validate → account. */
export async function openCall(
  deps: PrepareDeps,
  { caller, largeChars }: CheckContext,
  recording: Recording,
  prepared: PreparedCall,
): Promise<OpenedCall> {
  const { mask } = recording;
  const { target, world, widget, params: unopened, issues } = prepared;
  if (issues.length > 0) throw toInvalidParams(issues);
  admit(world, target, "start");
  const { inputFields: fields } = target.operation;
  const owner = { userId: caller.userId, rowId: target.row.id };
  const isKept = keepsTokens(target);
  const large = isKept ? null : openLargeTokens({ ring: deps.ring, mask }, owner, unopened);
  let before = large === null ? null : await large;
  const open = (ring: KeyRing) => ({
    ...(isKept
      ? keepTokens(mask, unopened)
      : openParams({ ring, mask, fields, before }, owner, unopened)),
    ...(widget && { widget: openWidget(target, { ring, mask, owner }, widget) }),
  });
  let opened: ReturnType<typeof open>;
  try {
    const opening = openWithPresentKeys(deps.ring, open);
    opened = opening instanceof Promise ? await opening : opening;
  } catch (thrown) {
    if (isKept || !(thrown instanceof HubError && thrown.code === "token_invalid")) throw thrown;
    // Only now: most calls have no such token, and are not searched for one.
    const managed = await openManaged({ ring: deps.ring, mask }, caller, target.row, unopened);
    if (managed === null) throw thrown;
    before = new Map([...(before ?? []), ...managed]);
    opened = open(deps.ring.current());
  }
  // Before the needles of many secrets are built, other requests work.
  if (large !== null || largeChars) await yieldToEventLoop();
  describeOpened(deps, recording, prepared, opened.params);
  if (largeChars) await yieldToEventLoop();
  const checked = isUncheckedClick(target) ? opened.params : checkParams(target, opened);
  const params = checked instanceof Promise ? await checked : checked;
  if (largeChars) await yieldToEventLoop();
  // Last: its user is asked for an account only for a call that could run with one.
  if (prepared.needsAccount !== null) throw prepared.needsAccount;
  return {
    values: { params, ...(opened.widget && { widget: opened.widget }) },
    // Here tokens stay as they are, and the row's secrets become tokens.
    guesses: [isKept ? unopened : opened.params, opened.widget],
  };
}

/** Records the text around a token in a secret input together with the token, as one new token. */
function describeOpened(
  { ring, isMaskingEnabled }: PrepareDeps,
  recording: Recording,
  { target, params, widget }: PreparedCall,
  opened: Record<string, unknown>,
): void {
  const { inputFields: fields } = target.operation;
  const mixed = findMixedInputs({ ring: ring.current(), fields }, params);
  // Without a mask, the opened values would be recorded in plaintext.
  if (mixed.length === 0 || !isMaskingEnabled) return;
  const whole = { ...params, ...Object.fromEntries(mixed.map((key) => [key, opened[key]])) };
  recording.describe(describeRequest(target, { params: whole, widget }));
}
