import { afterEach, beforeEach, describe } from "bun:test";
import { describeChanges } from "./changes-table.testsuite.ts";
import { describeApprovalMessages } from "./channels/approval-messages.testsuite.ts";
import { describeApproverAccounts } from "./channels/approver-accounts.testsuite.ts";
import { describeChannels } from "./channels/channels.testsuite.ts";
import { describeChatAccounts } from "./channels/chat-accounts-table.testsuite.ts";
import { describeHotReads } from "./database/hot-reads.testsuite.ts";
import { describeTransactions } from "./database/transactions.testsuite.ts";
import { describeOAuth } from "./oauth/oauth.testsuite.ts";
import { describePendingCallStates } from "./pending/pending-call-states.testsuite.ts";
import { describePendingLists } from "./pending/pending-lists.testsuite.ts";
import { describeSealedPendingCalls } from "./pending/sealed-pending-calls.testsuite.ts";
import { describePlugins } from "./plugins/plugins.testsuite.ts";
import { describeRowConnections } from "./rows/row-connections.testsuite.ts";
import { describeRowOperations } from "./rows/row-operations-table.testsuite.ts";
import { describeRows } from "./rows/rows-table.testsuite.ts";
import { describeRules } from "./rules/rules.testsuite.ts";
import { describeRunCounts } from "./runs/run-counts.testsuite.ts";
import { describeRunHolders } from "./runs/run-holders.testsuite.ts";
import { describeRunHours } from "./runs/run-hours.testsuite.ts";
import { describeRunPages } from "./runs/run-pages.testsuite.ts";
import { describeRuns } from "./runs/runs-table.testsuite.ts";
import { describeEmbeddings } from "./search/embeddings.testsuite.ts";
import { describeServers } from "./servers/servers.testsuite.ts";
import { describeHubIds } from "./settings/hub-id.testsuite.ts";
import { describeRevision } from "./settings/revision.testsuite.ts";
import { describeSettings } from "./settings/settings-table.testsuite.ts";
import type { TestStores } from "./testing/test-stores.ts";
import { describeAccounts } from "./users/accounts.testsuite.ts";
import { describeServiceUsers } from "./users/service-users.testsuite.ts";
import { describeSignInCounters } from "./users/sign-in-counters.testsuite.ts";
import { describeUserOrigins } from "./users/user-origins.testsuite.ts";
import { describeAcceptedRuns } from "./workflow-runs/accepted-runs.testsuite.ts";
import { describeWorkflowApprovalLists } from "./workflow-runs/workflow-approval-lists.testsuite.ts";
import { describeWorkflowApprovals } from "./workflow-runs/workflow-approvals-table.testsuite.ts";
import { describeWorkflowRuns } from "./workflow-runs/workflow-runs-table.testsuite.ts";
import { describeWorkflowSteps } from "./workflow-runs/workflow-steps.testsuite.ts";
import { describeWebhookRequests } from "./workflows/webhook-requests.testsuite.ts";
import { describeWorkflowBodies } from "./workflows/workflow-bodies.testsuite.ts";
import { describeWorkflowPins } from "./workflows/workflow-pins.testsuite.ts";
import { describeWorkflowSecrets } from "./workflows/workflow-secrets.testsuite.ts";
import { describeWorkflowTriggers } from "./workflows/workflow-triggers.testsuite.ts";
import { describeWorkflows } from "./workflows/workflows-table.testsuite.ts";

/** The contract of every database that the hub supports. */
export function describeStore(name: string, open: () => Promise<TestStores>): void {
  describe(`the store on ${name}`, () => {
    let stores: TestStores;

    beforeEach(async () => {
      stores = await open();
    });
    afterEach(async () => {
      await stores.remove();
    });

    describeAccounts(() => stores);
    describe("service users", () => describeServiceUsers(() => stores));
    describeRows(() => stores);
    describeRowOperations(() => stores);
    describeRowConnections(() => stores);
    describeHubIds(() => stores);
    describe("channels", () => describeChannels(() => stores));

    describeRuns(() => stores);
    describeRunPages(() => stores);
    describeRunCounts(() => stores);
    describeRunHours(() => stores);
    describeRunHolders(() => stores);
    describeChanges(() => stores);
    describeOAuth(() => stores);
    describeEmbeddings(() => stores);
    describeServers(() => stores);
    describePlugins(() => stores);
    describe("runs of workflows", () => {
      describeAcceptedRuns(() => stores);
      describeWorkflowRuns(() => stores);
      describeWorkflowSteps(() => stores);
    });
    describe("approvals of workflows", () => describeWorkflowApprovals(() => stores));
    describe("lists of approvals", () => describeWorkflowApprovalLists(() => stores));
    describe("messages of approvals", () => describeApprovalMessages(() => stores));
    describeWorkflows(() => stores);
    describeWorkflowBodies(() => stores);
    describeWorkflowSecrets(() => stores);
    describeWorkflowPins(() => stores);
    describe("rules of calls", () => describeRules(() => stores));
    describe("states of calls that wait", () => describePendingCallStates(() => stores));
    describe("lists of calls that wait", () => describePendingLists(() => stores));
    describe("sealed parts of pending calls", () => describeSealedPendingCalls(() => stores));
    describeWebhookRequests(() => stores);
    describeChatAccounts(() => stores);
    describeApproverAccounts(() => stores);
    describe("triggers of workflows", () => describeWorkflowTriggers(() => stores));
    describeRevision(() => stores);
    describeHotReads(() => stores);
    describeSettings(() => stores);
    describeSignInCounters(() => stores);
    describeUserOrigins(() => stores);
    describeTransactions(() => stores);
  });
}
