import type { MaskOptions } from "@hub/connector";
import type { ConnectorCall, RegisteredConnector } from "../connectors/connector-port.ts";
import type { RowConfig } from "../connectors/open-row-config.ts";
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
  const { mask, callMask } = parts.recording;
  const config = parts.row.config();
  return {
    config: config.values,
    space: parts.recording.space,
    caller: parts.ctx.caller,
    signal: parts.signal,
    outbound: { savedHosts: config.savedHosts, allow: [...deps.outboundAllow] },
    log: createConnectorLog({ log: deps.log, connectorKey: parts.connector.key, mask }),
    mask: (value, options) =>
      callMask.addNamed(value, { ...toSecretOptions(config, value, options), ignoreCase: false }),
    maskIgnoreCase: (value, options) =>
      callMask.addNamed(value, { ...toSecretOptions(config, value, options), ignoreCase: true }),
  };
}

/** A connector that names the row's own secret, for safety, does not hand it to the user with that. */
function toSecretOptions(
  { secrets }: RowConfig,
  value: string,
  { ofRow = false }: MaskOptions = {},
) {
  return { ofRow: ofRow === true || secrets.texts.includes(value) };
}
