import { type WorkflowExample, workflowExampleSchema } from "@hub/contract/workflow-example.ts";
import { parsePlaceholder } from "../validation/parse-placeholder.ts";
import alertToIssue from "./bodies/alert-to-issue.json" with { type: "json" };
import apiFacade from "./bodies/api-facade.json" with { type: "json" };
import deliverWithRetry from "./bodies/deliver-with-retry.json" with { type: "json" };
import deployHook from "./bodies/deploy-hook.json" with { type: "json" };
import failureAlarm from "./bodies/failure-alarm.json" with { type: "json" };
import healthCheck from "./bodies/health-check.json" with { type: "json" };
import issueTriage from "./bodies/issue-triage.json" with { type: "json" };
import nightlyLogReport from "./bodies/nightly-log-report.json" with { type: "json" };
import orderSummary from "./bodies/order-summary.json" with { type: "json" };
import reminder from "./bodies/reminder.json" with { type: "json" };
import syncRecords from "./bodies/sync-records.json" with { type: "json" };

/** Simple ones first. */
const files: ReadonlyArray<[id: string, file: ExampleFile]> = [
  ["health-check", healthCheck],
  ["failure-alarm", failureAlarm],
  ["issue-triage", issueTriage],
  ["alert-to-issue", alertToIssue],
  ["nightly-log-report", nightlyLogReport],
  ["order-summary", orderSummary],
  ["reminder", reminder],
  ["deploy-hook", deployHook],
  ["api-facade", apiFacade],
  ["sync-records", syncRecords],
  ["deliver-with-retry", deliverWithRetry],
];

type Described = ReadonlyArray<{ name: string; description: string }>;

/** A file of `bodies/`. The connectors and operations of its rows follow from its body. */
type ExampleFile = {
  name: string;
  description: string;
  needs: { rows?: Described; secrets?: Described; env?: Described; workflows?: Described };
  body: { nodes: ReadonlyArray<{ type: string; tool_id?: string }> };
};

/** The workflows to start from. */
export function listExamples(): WorkflowExample[] {
  return files.map(([id, { name, description, needs, body }]) =>
    workflowExampleSchema.parse({
      id,
      name,
      description,
      body,
      needs: {
        rows: (needs.rows ?? []).map((row) => ({ ...row, ...findOperations(body, row.name) })),
        secrets: needs.secrets ?? [],
        env: needs.env ?? [],
        workflows: needs.workflows ?? [],
      },
    }),
  );
}

function findOperations({ nodes }: ExampleFile["body"], rowName: string) {
  const placeholders = nodes.flatMap(({ tool_id: toolId = "" }) => parsePlaceholder(toolId) ?? []);
  const ofRow = placeholders.filter((one) => one.rowName === rowName);
  return {
    connector: ofRow[0]?.connectorKey,
    operations: [...new Set(ofRow.map(({ operationKey }) => operationKey))],
  };
}
