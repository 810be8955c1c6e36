import type { ConnectorCall, RegisteredConnector } from "../connectors/connector-port.ts";
import type { Row } from "../connectors/row-directory.ts";
import { type ConnectorLogDeps, createConnectorLog } from "./connector-log.ts";
import type { Recording } from "./open-recording.ts";
import type { CallContext } from "./operations.ts";

export type ConnectorCallDeps = {
  outboundAllow: readonly string[];
  log: ConnectorLogDeps["log"];
};

type CallParts = {
  ctx: CallContext;
  recording: Recording;
  connector: RegisteredConnector;
  row: Row;
  signal: AbortSignal;
};

/** What every call into a connector carries, whatever is asked of it. */
export function toConnectorCall(deps: ConnectorCallDeps, parts: CallParts): ConnectorCall {
  const { mask } = parts.recording;
  const config = parts.row.config();
  return {
    config: config.values,
    caller: parts.ctx.caller,
    signal: parts.signal,
    outbound: { savedHosts: config.savedHosts, allow: [...deps.outboundAllow] },
    log: createConnectorLog({ log: deps.log, connectorKey: parts.connector.key, mask }),
    mask: (value) => mask.addSecret(value),
    maskIgnoreCase: (value) => mask.addSecretIgnoreCase(value),
  };
}
