import type { ToolDetail } from "@hub/contract/tool-entry.ts";
import type { Caller } from "../caller.ts";
import { HubError, toHubError, toInvalidParams } from "../errors.ts";
import { createMask } from "../secrets/mask.ts";
import { admit } from "./admission/admit.ts";
import { toWorld } from "./admission/call.ts";
import { createCallMask } from "./call-mask.ts";
import { checkParams } from "./check-params.ts";
import { type ExecuteDeps, findRowSecrets, maskRowSecrets } from "./execute-operation.ts";
import { findToolCall, type Target } from "./find-operation.ts";
import { fitParams } from "./fit-params.ts";
import { leaveTextsOut } from "./leave-texts-out.ts";
import {
  maskSecretInputs,
  openLargeTokens,
  openParams,
  openWithPresentKeys,
} from "./open-params.ts";
import type { CheckedRequest } from "./operations.ts";
import { toDetail } from "./tool-catalogue.ts";

/** Checks a call like `executeOperation` does, and does not make it. Errors are sealed. */
export async function checkCall(
  deps: ExecuteDeps,
  caller: Caller,
  request: CheckedRequest,
): Promise<ToolDetail> {
  const directory = await deps.directory.current(caller.seen);
  const world = toWorld(deps, directory);
  const { registry } = deps;
  const target = findToolCall({ registry, directory }, { path: "client", caller }, request.toolId);
  admit(world, target, "sight");
  admit(world, target, "access");
  const { params, issues } = await fitParams(target, request.params);
  if (issues.length > 0) throw toInvalidParams(issues);
  await checkValues(deps, caller, target, params, () => admit(world, target, "start"));
  return toDetail(target);
}

async function checkValues(
  deps: ExecuteDeps,
  { userId }: Caller,
  target: Target,
  params: Record<string, unknown>,
  start: () => void,
): Promise<void> {
  const { isMaskingEnabled: enabled, rowTokens } = deps;
  const budget = deps.budgets.open(`user:${userId}`);
  const plainMask = createMask({ ring: deps.ring.current(), userId, enabled, rowTokens });
  const { mask } = createCallMask(plainMask, {
    onAdd() {},
    addSecretChars: (chars) => budget.addSecretChars(chars),
  });
  try {
    maskRowSecrets(mask, target.row);
    const { inputFields: fields } = target.operation;
    maskSecretInputs({ ring: deps.ring.current(), mask, fields }, params);
    start();
    const owner = { userId, rowId: target.row.id };
    const isChat = target.connector.isChat;
    const large = isChat ? null : openLargeTokens({ ring: deps.ring, mask }, owner, params);
    const before = large === null ? null : await large;
    const opened = isChat
      ? { params, opened: new Set<string>() }
      : await openWithPresentKeys(deps.ring, (ring) =>
          openParams({ ring, mask, fields, before }, owner, params),
        );
    await checkParams(target, opened);
  } catch (thrown) {
    const failure = toHubError(thrown);
    const { code, message } = failure;
    if (enabled && findRowSecrets(target.row)?.hasWeak()) {
      const { inputFields } = target.operation;
      throw leaveTextsOut(failure, { hasBegun: false, inputFields }) ?? failure;
    }
    // The message may quote an opened value.
    throw new HubError(code, mask.sealText(message), { cause: thrown });
  } finally {
    budget.close();
  }
}
