import type { ConnectorLog, Json } from "@hub/connector";

export type ConnectorLogDeps = {
  /** The hub's log, or a child of it. */
  log: Record<"debug" | "info" | "warn" | "error", (fields: object, message: string) => void>;
  connectorKey: string;
  sealText(text: string): string;
  sealJson(value: Json): Json;
};

/** The log a connector writes to: what it is given is sealed before it is written. */
export function createConnectorLog(deps: ConnectorLogDeps): ConnectorLog {
  const write =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, details?: Record<string, unknown>) => {
      const fields = {
        connector: deps.connectorKey,
        ...(details && { details: deps.sealJson(details) }),
      };
      deps.log[level](fields, deps.sealText(message));
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
