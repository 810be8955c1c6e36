import type { ConnectorLog } from "@hub/connector";
import { type MessageMask, sealDetails, sealMessage } from "../masking/seal-message.ts";

export type ConnectorLogDeps = {
  /** The hub's log, or a child of it. */
  log: Record<"debug" | "info" | "warn" | "error", (fields: object, message: string) => void>;
  connectorKey: string;
  mask: MessageMask;
};

/** The log of a connector. Messages and details are sealed before they are written. */
export function createConnectorLog({ log, connectorKey, mask }: ConnectorLogDeps): ConnectorLog {
  const write =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, details?: Record<string, unknown>) => {
      const fields = {
        connector: connectorKey,
        ...(details && { details: sealDetails(mask, details) }),
      };
      log[level](fields, sealMessage(mask, message));
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}
