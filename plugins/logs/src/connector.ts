import { defineConnector } from "@hub/connector";
import { checkHealth } from "./check-logs-health.ts";
import { configFields } from "./logs-config-fields.ts";
import { labelValues } from "./operations/label-values.ts";
import { labels } from "./operations/labels.ts";
import { query } from "./operations/query.ts";
import { datasources } from "./widgets/datasources.ts";
import { organisations } from "./widgets/organisations.ts";
import { status } from "./widgets/status.ts";

/** Reads a log store through its dashboard host. */
export const logs = defineConnector({
  key: "logs",
  name: "Logs",
  icon: "file-text",
  tier: "plugin",
  description: "Searches logs and their labels in a log store (Loki behind Grafana) with LogQL.",
  config: configFields,
  operations: { query, labels, label_values: labelValues, status, organisations, datasources },
  health: checkHealth,
});
