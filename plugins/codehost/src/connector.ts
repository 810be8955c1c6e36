import { defineConnector } from "@hub/connector";
import { checkHealth } from "./check-health.ts";
import { configFields } from "./config-fields.ts";
import { repositories } from "./operations/repositories.ts";

/** Reads and changes what is on a code host, with one account's token. */
export const codehost = defineConnector({
  key: "codehost",
  name: "Code host",
  icon: "brand-github",
  tier: "plugin",
  description:
    "Reads and changes repositories, issues, pull requests, files and releases of a code host (GitHub's REST API v3).",
  config: configFields,
  operations: {
    ...repositories,
  },
  health: checkHealth,
});
