import type { MaskOptions } from "@hub/connector";
import type {
  CallAccount,
  ConnectorCall,
  RegisteredConnector,
} from "../../connectors/connector-port.ts";
import { type RowConfig, toOutboundPolicy } from "../../connectors/rows/open-row-config.ts";
import type { Row, RowAccount } from "../../connectors/rows/row-directory.ts";
import { sealMessage } from "../masking/seal-message.ts";
import type { CallContext } from "../operations.ts";
import type { Recording } from "../records/recording.ts";
import { type ConnectorLogDeps, createConnectorLog } from "./connector-log.ts";
import { createElicit } from "./elicit.ts";

export type ConnectorCallDeps = {
  outboundAllow: readonly string[];
  log: ConnectorLogDeps["log"];
};

/** A recorded call with its row and connector. */
export type ConnectorRun = {
  ctx: CallContext;
  recording: Recording;
  row: Row;
  connector: RegisteredConnector;
};

/** How long the work of a call may last. */
export type Lifetime = {
  signal: AbortSignal;
  /** Whether the caller still waits. Later progress is dropped. */
  isListening(): boolean;
};

/** The context that a connector gets with each task. */
export function toConnectorCall(
  deps: ConnectorCallDeps,
  run: ConnectorRun,
  lifetime: Lifetime,
  progress: ConnectorCall["progress"],
): ConnectorCall {
  const { recording, connector, row, ctx } = run;
  const { mask, callMask } = recording;
  const config = row.config();
  return {
    rowId: row.id,
    connectionId: row.connectionId,
    ...(row.account && { account: toCallAccount(row.account) }),
    config: config.values,
    memory: recording.memory,
    caller: ctx.caller,
    ip: ctx.origin.ip,
    hubs: ctx.hubs ?? [],
    isFromWorkflow: ctx.origin.source === "workflow",
    outer: ctx,
    signal: lifetime.signal,
    runId: recording.runId,
    secrets: callMask.secrets,
    outbound: toOutboundPolicy(config, deps.outboundAllow),
    log: createConnectorLog({ log: deps.log, connectorKey: connector.key, mask }),
    mask: (value, options) =>
      callMask.addNamed(value, { ...toSecretOptions(config, value, options), ignoreCase: false }),
    maskIgnoreCase: (value, options) =>
      callMask.addNamed(value, { ...toSecretOptions(config, value, options), ignoreCase: true }),
    elicit: createElicit(ctx, recording, row.label),
    attach: recording.attachments.add,
    recordHttpStatus: (status) => recording.recordHttpStatus(status),
    progress(done, total, message) {
      if (lifetime.isListening()) progress(done, total, message);
    },
  };
}

function toCallAccount({ id, tokensId, row }: RowAccount): CallAccount {
  return {
    id,
    tokensId,
    rowConfig: row.config().values,
    rowConnectionId: row.connectionId,
  };
}

/** A connector may also name its row's own secret. That does not make it a secret of the user. */
function toSecretOptions(
  { secrets }: RowConfig,
  value: string,
  { ofRow = false }: MaskOptions = {},
) {
  return { ofRow: ofRow === true || secrets.texts.includes(value) };
}

/** Passes a report on to the client, without secrets. */
export function reportProgress(
  { ctx, recording }: ConnectorRun,
  ...[done, total, message]: Parameters<ConnectorCall["progress"]>
): void {
  // Numbers are not sealed, and plain JavaScript could pass a text instead of a number.
  if (!Number.isFinite(done)) return;
  ctx.onProgress?.({
    done,
    ...(Number.isFinite(total) && { total }),
    ...(message !== undefined && { message: sealMessage(recording.mask, message) }),
  });
}
