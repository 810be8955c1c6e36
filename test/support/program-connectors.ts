import type { ConnectorDefinition } from "@hub/connector";

/** The connectors of each program of the tests beside the built-in ones, by the program's name. */
export const programConnectors: Record<string, () => Promise<ConnectorDefinition[]>> = {
  hub: async () => [],
  "fixture-hub": async () => [(await import("./fixture-connector.ts")).fixture],
  "form-hub": async () => [(await import("./form-connector.ts")).formConnector],
  "hostile-hub": async () => [(await import("./hostile-connector.ts")).hostile],
  "hostile-texts-hub": async () => [(await import("./hostile-texts-connector.ts")).hostileTexts],
  "plugins-hub": async () => [
    (await import("../../plugins/codehost/src/connector.ts")).codehost,
    (await import("../../plugins/logs/src/connector.ts")).logs,
  ],
};
