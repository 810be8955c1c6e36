import type { ExplainWorld } from "../explain-world.ts";

/** A world in which each operation exists on the row `Tracker`. */
export function createWorld(given: Partial<ExplainWorld> = {}): ExplainWorld {
  return {
    workflowId: "issues-a1b2c3",
    name: "Issues",
    baseUrl: "https://hub.example.com",
    timezone: "Europe/Berlin",
    owner: { email: "ada@example.com", isActive: true, isAdmin: false },
    isEnabled: true,
    publishedVersion: 3,
    secretNames: new Set(["KEY"]),
    findOperation: (toolId) => {
      const name = toolId.split("/").at(-1) ?? "";
      const destructive = !/^(get|list|search)/.test(name);
      return {
        ...{ rowLabel: "Tracker", connectorName: "HTTP API", operationName: name },
        ...{ destructive, fault: null },
      };
    },
    findChannel: (name) => ({ label: name, fault: null }),
    findAction: () => null,
    findWorkflowName: () => null,
    ...given,
  };
}
