import type { ExplainWorld } from "../explain-world.ts";

/** A world in which each operation exists on the row `Tracker`. */
export function createWorld(given: Partial<ExplainWorld> = {}): ExplainWorld {
  return {
    workflowId: "issues-a1b2c3",
    name: "Issues",
    timezone: "Europe/Berlin",
    ownerEmail: "ada@example.com",
    findOperation: (toolId) => {
      const name = toolId.split("/").at(-1) ?? "";
      const destructive = !/^(get|list|search)/.test(name);
      return { rowLabel: "Tracker", connectorName: "HTTP API", operationName: name, destructive };
    },
    findChannelLabel: (name) => name,
    findAction: () => null,
    findWorkflowName: () => null,
    ...given,
  };
}
