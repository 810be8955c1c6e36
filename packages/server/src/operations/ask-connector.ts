import type { Health, LookupItem } from "@hub/connector";
import type { Caller } from "../caller.ts";
import type { ConnectorCall, RegisteredConnector } from "../connectors/connector-port.ts";
import type { Directory, Row } from "../connectors/row-directory.ts";
import { isVisible } from "../connectors/visibility.ts";
import { HubError } from "../errors.ts";
import { toPlainJson } from "../lib/plain-json.ts";
import { toRowLimit } from "./call-limits.ts";
import { refuseOverfull } from "./call-mask.ts";
import { createDeadline } from "./create-deadline.ts";
import { toConnectorFailure } from "./describe-failure.ts";
import { type ExecuteDeps, maskRowSecrets } from "./execute-operation.ts";
import { isOffered, isOperationEnabled } from "./find-operation.ts";
import type { Recording } from "./open-recording.ts";
import type { CallContext } from "./operations.ts";
import { recordCall } from "./record-call.ts";
import { toConnectorCall } from "./to-connector-call.ts";

/** People wait for the answer in front of a settings page. */
const askMsMax = 30_000;

/** As how such a call is recorded: no operation of a connector can have these keys. */
const healthKey = "hub.health";
const lookupKey = "hub.lookup";

/**
 * Asks the outside system whether a row's configuration works. Recorded and sealed as any call:
 * reasons tend to quote what was sent.
 */
export async function checkHealth(
  deps: ExecuteDeps,
  ctx: CallContext,
  rowId: string,
): Promise<Health> {
  const health = await askConnector(
    deps,
    ctx,
    { rowId, key: healthKey, request: {} },
    (connector, call) => {
      if (connector.health !== undefined) return connector.health(call);
      throw new HubError("not_found", `The connector "${connector.key}" has no health check.`);
    },
  );
  const { reason } = health;
  return reason === undefined ? health : { ...health, reason: deps.hidePaths(reason) };
}

/** Nobody reads through more; who does not find theirs types on. */
const itemsMax = 20;

/** Items that a picker of the row's settings offers for what was typed. */
export async function lookUp(
  deps: ExecuteDeps,
  ctx: CallContext,
  { rowId, source, query }: { rowId: string; source: string; query: string },
): Promise<LookupItem[]> {
  const request = { source, query };
  const check = (asked: Asked) => checkSource(ctx.caller, asked, source);
  const asked = { rowId, key: lookupKey, request, check };
  return await askConnector(deps, ctx, asked, async (connector, call) => {
    if (connector.lookup !== undefined) {
      return (await connector.lookup({ ...call, source, query })).slice(0, itemsMax);
    }
    throw new HubError("not_found", `The connector "${connector.key}" looks nothing up.`);
  });
}

/**
 * Admins fill in every picker; other users only those among the inputs of operations that they may
 * call.
 */
function checkSource(caller: Caller, { directory, row, connector }: Asked, source: string): void {
  if (caller.role === "admin") return;
  const isOn = !row.disabled && !directory.isTypeDisabled(row.connectorKey);
  const callable = [...connector.operations.values()].filter(
    (operation) => isOn && isOffered(operation) && isOperationEnabled(row, operation),
  );
  const isInput = callable.some(({ inputFields }) =>
    inputFields.some((field) => field.source === source),
  );
  if (!isInput) throw new HubError("not_found", "No operation that you can call has this picker.");
}

type Asked = { directory: Directory; row: Row; connector: RegisteredConnector };

type Question = {
  rowId: string;
  key: string;
  request: Record<string, unknown>;
  /** Throws when the caller may not ask this of the row. */
  check?(asked: Asked): void;
};

async function askConnector<Answer>(
  deps: ExecuteDeps,
  ctx: CallContext,
  { rowId, key: operationKey, request, check }: Question,
  ask: (connector: RegisteredConnector, call: ConnectorCall) => Promise<Answer>,
): Promise<Answer> {
  const description = { connectorId: rowId, rowLabel: null, operationKey, request };
  const sealed = await recordCall(deps, ctx, description, async (recording) => {
    const { row, connector } = findVisible(deps, ctx, recording, rowId);
    check?.({ directory: recording.directory, row, connector });
    maskRowSecrets(recording.mask, row);
    recording.describe({ rowLabel: row.label });
    const leave = deps.rowLimiter.enter(row.id, toRowLimit(recording.directory.settings));
    try {
      await recording.begin();
      const deadline = createDeadline(ctx.signal, askMsMax);
      const parts = { ctx, recording, connector, row, signal: deadline.signal };
      try {
        const answered = ask(connector, toConnectorCall(deps, parts));
        const answer = toPlainJson(await Promise.race([answered, deadline.passed]));
        if (recording.callMask.isOverfull()) throw refuseOverfull();
        return answer;
      } catch (thrown) {
        throw deadline.signal.aborted ? deadline.signal.reason : toConnectorFailure(thrown);
      } finally {
        deadline.clear();
      }
    } finally {
      leave();
    }
  });
  // Sealing replaces texts only: the answer keeps its shape.
  return sealed.value as Answer;
}

function findVisible(
  deps: ExecuteDeps,
  { caller }: CallContext,
  { directory }: Recording,
  rowId: string,
): { row: Row; connector: RegisteredConnector } {
  const row = directory.find(rowId);
  if (row === null || !isVisible(caller, row)) {
    throw new HubError("not_found", "There is no such row.");
  }
  const connector = deps.registry.find(row.connectorKey);
  if (connector !== null) return { row, connector };
  throw new HubError(
    "not_found",
    `The connector "${row.connectorKey}" is not installed. Install its plugin first.`,
  );
}
