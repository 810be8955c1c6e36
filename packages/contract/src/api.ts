/**
 * The routes of the management API, written by scripts/write-api-types.ts from the OpenAPI
 * document. docs/reference/api.md says what their members mean.
 */

import type { Account, AccountEnding, AccountRow, BegunSignIn } from "./account.ts";
import type { Application } from "./application.ts";
import type { AttentionItem } from "./attention.ts";
import type { CallErrors, CallFigures } from "./call-figures.ts";
import type { CallRule, RuleDecide, RuleExplanation, RuleHour } from "./call-rule.ts";
import type { CallableOperation, ModelAnswer } from "./callable-operation.ts";
import type { ChangeEntry } from "./change.ts";
import type { Channel, ChannelDetail, ChannelUses } from "./channel.ts";
import type { ChatAccount, ChatLink, CreatedChatLink } from "./chat-account.ts";
import type { ConnectionPlan, MadeConnection } from "./connection-plan.ts";
import type {
  AbsentConnector,
  ConnectorTypeDetail,
  ListedConnectorType,
} from "./connector-type.ts";
import type { DoctorCheck, Setting } from "./doctor.ts";
import type { GroupLines, UserGroups } from "./group.ts";
import type { Status } from "./hub-status.ts";
import type { Identity } from "./identity.ts";
import type { BulkResult, ListedRow } from "./listed-row.ts";
import type { CreatedMachineClient, MachineClient, ServiceUser, TrustedIssuer } from "./machine.ts";
import type { Overview, SetupProgress } from "./overview.ts";
import type {
  CallPermit,
  PendingCall,
  PendingCallDetail,
  WaitingDecision,
} from "./pending-call.ts";
import type { Plugin, PluginUpdate } from "./plugin.ts";
import type { RefusedSignIns } from "./refused-sign-ins.ts";
import type { Route } from "./route.ts";
import type { AccessPreview, RowAccess } from "./row-access.ts";
import type { BegunConnect, RowAccounts, RowConnection } from "./row-connection.ts";
import type {
  DiscoveryReport,
  DocumentServer,
  LeftOutPage,
  ReadMarks,
  ReviewLine,
  ReviewedOperation,
  RowDiscovery,
} from "./row-discovery.ts";
import type { OperationForm, RowSettings } from "./row-settings.ts";
import type { ListedOperation, RowDetail, RowOperation, RowValue, RowView } from "./row.ts";
import type { HistoryRun, RunCounts, RunPage, RunSummary } from "./run-history.ts";
import type { CreatedScimClient, ScimClient } from "./scim-client.ts";
import type { Found } from "./search-result.ts";
import type { SecondFactor } from "./second-factor.ts";
import type {
  SecretDestination,
  SecretRead,
  SecretReference,
  SecretSource,
} from "./secret-source.ts";
import type { ImportPlan, ImportReport } from "./server-import.ts";
import type { Session } from "./session.ts";
import type { CreatedToken, RotatedToken, Token, TokenBounds } from "./token.ts";
import type { User } from "./user.ts";
import type { WorkflowApproval, WorkflowApprovalDetail } from "./workflow-approval.ts";
import type { WorkflowDifference } from "./workflow-difference.ts";
import type { WorkflowExample } from "./workflow-example.ts";
import type {
  WorkflowDiagnosis,
  WorkflowExplanation,
  WorkflowSchedulePreview,
} from "./workflow-explanation.ts";
import type { WorkflowManualTrigger } from "./workflow-manual.ts";
import type { WorkflowPin } from "./workflow-pin.ts";
import type { WorkflowPreview } from "./workflow-preview.ts";
import type { WorkflowProblem } from "./workflow-problem.ts";
import type {
  WorkflowDecision,
  WorkflowOutcome,
  WorkflowResume,
  WorkflowResumed,
  WorkflowRun,
  WorkflowRunDetail,
  WorkflowStepEvent,
} from "./workflow-run.ts";
import type { WorkflowScheduledRun } from "./workflow-scheduled.ts";
import type { WorkflowSummary, WorkflowTicks } from "./workflow-summary.ts";
import type { WebhookDelivery, WorkflowWebhook } from "./workflow-webhook.ts";
import type {
  Workflow,
  WorkflowDetail,
  WorkflowDraft,
  WorkflowExport,
  WorkflowOpened,
  WorkflowSecret,
  WorkflowUser,
  WorkflowVersion,
} from "./workflow.ts";

type SecretSourceSettings = Record<string, unknown>;

type GroupLine = {
  source?: "any" | "sso" | "scim";
  pattern: string;
  is_pattern?: boolean;
  tags?: Array<string>;
  tag_start?: string | null;
  role?: "user" | "admin" | "none";
  admin_by_scim?: boolean;
};

type TriedCalls = {
  results: Array<{
    tool_id: string;
    status: "success" | "error" | "denied" | "cancelled" | "not_run";
    result?: unknown;
    error?: string;
    code?: string;
  }>;
  run_id: string;
};

type TriedCall = { result: unknown; run_id: string; blocks?: Array<Record<string, unknown>> };

type WorkflowRunEvents = { events: Array<{ step: WorkflowStepEvent } | { run: WorkflowRun }> };

type Routes = {
  "GET /manager/api/connectors": {
    answer: { connectors: Array<ListedConnectorType>; absent: Array<AbsentConnector> };
  };
  "GET /manager/api/connectors/{key}": { answer: ConnectorTypeDetail };
  "POST /manager/api/connectors/{key}/type-disable": { answer: { disabled_type: boolean } };
  "POST /manager/api/connectors/{key}/type-enable": { answer: { disabled_type: boolean } };
  "GET /manager/api/rows": {
    query: {
      limit?: number;
      after?: string;
      q?: string;
      connector?: string;
      tag?: string;
      ids?: string;
      state?: "disabled" | "needs_setup" | "unreachable" | "refused" | "failing" | "needs_review" | "unused" | "ready";
      sort?: "label" | "connector" | "state" | "calls" | "errors" | "p95" | "last_call";
      order?: "asc" | "desc";
    };
    answer: {
      rows: Array<ListedRow>;
      next: string | null;
      total: number;
      by_state: Partial<Record<"disabled" | "needs_setup" | "unreachable" | "refused" | "failing" | "needs_review" | "unused" | "ready", number>>;
    };
  };
  "POST /manager/api/rows": {
    body: {
      connector: string;
      label: string;
      description?: string;
      tags?: Array<string>;
      tests?: "admins" | "tag";
      access?: "shared" | "own" | "own_else_shared";
      values?: Record<string, unknown>;
    };
    answer: RowDetail;
  };
  "POST /manager/api/rows/bulk": {
    body: {
      rows: Array<string>;
      do: "enable" | "disable" | "add_tag" | "remove_tag" | "approve_reads";
      tag?: string;
    };
    answer: BulkResult;
  };
  "POST /manager/api/rows/sample": { answer: RowDetail };
  "POST /manager/api/imports/plan": { body: { text: string; file?: string }; answer: ImportPlan };
  "POST /manager/api/imports": {
    body: {
      text: string;
      file?: string;
      servers: Array<number>;
      tags?: Array<string>;
      people?: Array<string>;
    };
    answer: ImportReport;
  };
  "POST /manager/api/connections/plan": {
    body: { address?: string; document?: string; values?: Record<string, unknown> };
    answer: ConnectionPlan;
  };
  "POST /manager/api/connections": {
    body: {
      address?: string;
      document?: string;
      values?: Record<string, unknown>;
      digest: string;
      label: string;
      description?: string;
      servers?: Array<string>;
      approve?: "reads" | "all" | Array<string>;
      tags?: Array<string>;
      people?: Array<string>;
    };
    answer: MadeConnection;
  };
  "GET /manager/api/rows/{row}": { query: { operations?: "all" | "none" }; answer: RowView };
  "PATCH /manager/api/rows/{row}": {
    body: {
      version: number;
      label?: string;
      description?: string;
      tags?: Array<string>;
      tests?: "admins" | "tag";
      access?: "shared" | "own" | "own_else_shared";
      values?: Record<string, unknown>;
    };
    answer: RowDetail;
  };
  "DELETE /manager/api/rows/{row}": { answer: { id: string; label: string } };
  "POST /manager/api/rows/{row}/enable": { answer: RowDetail };
  "POST /manager/api/rows/{row}/disable": { answer: RowDetail };
  "POST /manager/api/rows/{row}/duplicate": { body: { label?: string }; answer: RowDetail };
  "GET /manager/api/channels": { answer: { channels: Array<Channel> } };
  "GET /manager/api/rows/{row}/channel": { answer: ChannelDetail };
  "GET /manager/api/rows/{row}/channel/workflows": { answer: ChannelUses };
  "PUT /manager/api/rows/{row}/slug": {
    body: { slug: string };
    answer: {
      id: string;
      connector: string;
      label: string;
      logo: string | null;
      slug?: string;
      description: string;
      tags: Array<string>;
      tests: "admins" | "tag";
      access: "shared" | "own" | "own_else_shared";
      disabled: boolean;
      disabled_type: boolean;
      missing: Array<string> | null;
      version: number;
      created_at: string;
      updated_at: string;
      values: Array<RowValue>;
      operations: Array<RowOperation>;
      weak?: Array<string>;
      still_named_in: ChannelUses;
    };
  };
  "GET /manager/api/rows/{row}/access": { answer: RowAccess };
  "PUT /manager/api/rows/{row}/access": {
    body: { version: number; tags?: Array<string>; give?: Array<string>; take?: Array<string> };
    answer: RowAccess;
  };
  "GET /manager/api/rows/{row}/access/preview": { query: { tags?: string }; answer: AccessPreview };
  "GET /manager/api/rules": {
    query: { limit?: number; after?: string };
    answer: { rules: Array<CallRule>; next: string | null };
  };
  "GET /manager/api/rows/{row}/rules": { answer: { row_id: string; rules: Array<CallRule> } };
  "PUT /manager/api/rows/{row}/rules": {
    body: {
      operation?: string | null;
      name?: string;
      asks: "always" | "destructive" | "never";
      free_per_hour?: number | null;
      except_users?: Array<string>;
      except_tags?: Array<string>;
      decide?: RuleDecide;
      confirm?: "page" | "client";
      hour?: RuleHour;
      runs_on_approval?: boolean;
      sentence?: string;
      rule_id?: string | null;
      revision?: number;
    };
    answer: CallRule;
  };
  "DELETE /manager/api/rows/{row}/rules/{rule}": {
    query: { revision?: number };
    answer: { id: string; operation: string | null };
  };
  "GET /manager/api/rows/{row}/settings": { answer: RowSettings };
  "PATCH /manager/api/rows/{row}/settings": {
    body: { values: Record<string, unknown>; version: number };
    answer: RowSettings;
  };
  "POST /manager/api/rows/{row}/seal-secrets": { body: { version: number }; answer: RowSettings };
  "PUT /manager/api/rows/{row}/fields/{field}": {
    body: { value: unknown; version: number };
    answer: RowSettings;
  };
  "POST /manager/api/rows/{row}/fields/{field}/generate": {
    body: { version: number };
    answer: RowSettings;
  };
  "POST /manager/api/rows/{row}/fields/{field}/widget": {
    body: { op?: string; arg?: string; input?: Record<string, string>; version?: number };
    answer: {
      html: string;
      html_cut?: boolean;
      result?: unknown;
      run_id?: string;
      saved?: Array<string>;
      not_saved?: Array<{ field: string; reason: string }>;
    };
  };
  "GET /channels/{channel}/lookup": {
    query: { source: string; q?: string };
    answer: Array<{ id: string; name: string }>;
  };
  "GET /manager/api/rows/{row}/lookup": {
    query: { source: string; q?: string };
    answer: Array<{ id: string; name: string }>;
  };
  "GET /manager/api/accounts": {
    query: { q?: string; row?: string };
    answer: {
      accounts: Array<Account>;
      rows: Array<AccountRow>;
      rows_total: number;
      endings: Array<AccountEnding>;
    };
  };
  "POST /manager/api/accounts": {
    body: { row: string; label?: string; values: Record<string, unknown>; hosts: Array<string> };
    answer: Account;
  };
  "POST /manager/api/accounts/sign-in": {
    body: { row: string; label?: string; hosts: Array<string> };
    answer: BegunSignIn;
  };
  "PATCH /manager/api/accounts/{account}": {
    body: { label?: string; values?: Record<string, unknown>; hosts?: Array<string> };
    answer: Account;
  };
  "DELETE /manager/api/accounts/{account}": { answer: { id: string } };
  "GET /manager/api/rows/{row}/connection": {
    answer: { connection: RowConnection | null; accounts: RowAccounts | null };
  };
  "POST /manager/api/rows/{row}/connect": { answer: BegunConnect };
  "POST /manager/api/rows/{row}/disconnect": {
    answer: { id: string; label: string; revoked: boolean | null };
  };
  "POST /manager/api/rows/{row}/health": {
    answer: { ok: boolean; reason?: string; program_output?: string };
  };
  "POST /manager/api/rows/{row}/discover": { body: { document?: string }; answer: DiscoveryReport };
  "POST /manager/api/rows/{row}/servers": {
    body: { document?: string };
    answer: { servers: Array<DocumentServer> };
  };
  "GET /manager/api/rows/{row}/review": {
    query: {
      offset?: number;
      limit?: number;
      filter?: "new" | "changed" | "invalid" | "gone" | "warnings";
      key?: string;
    };
    answer: {
      row_id: string;
      tried_at: string | null;
      discovered_at: string | null;
      failure: string | null;
      stamp: string | null;
      operations: number;
      waiting: number;
      left_out: Array<{ source_name: string; reason: string }>;
      left_out_total: number;
      reviewed: Array<ReviewedOperation>;
      next_offset: number | null;
      counts: {
        new: number;
        changed: number;
        invalid: number;
        gone: number;
        warnings: number;
        hidden: number;
      };
    };
  };
  "GET /manager/api/rows/{row}/review/lines": {
    query: {
      q?: string;
      filter?: "new" | "changed" | "invalid" | "gone" | "warnings" | "hidden";
      after?: number;
      limit?: number;
    };
    answer: { lines: Array<ReviewLine>; total: number; next: string | null };
  };
  "POST /manager/api/rows/{row}/review/hide": {
    body: { operations: Array<string>; hidden: boolean };
    answer: RowDiscovery;
  };
  "GET /manager/api/rows/{row}/left-out": {
    query: { after?: number; limit?: number };
    answer: LeftOutPage;
  };
  "POST /manager/api/rows/{row}/approve": {
    body: { operations: Array<{ key: string; digest: string; reads?: boolean }> } | { stamp: string; only?: "reads" };
    answer: RowDiscovery;
  };
  "POST /manager/api/rows/{row}/reads": {
    body: { operations?: Array<string>; reads: boolean; stamp?: string };
    answer: ReadMarks;
  };
  "GET /manager/api/rows/{row}/operations": {
    query: { q?: string; key?: string; callable?: string; limit?: number; after?: number };
    answer: {
      operations: Array<ListedOperation>;
      total: number;
      next: string | null;
      stamp: string | null;
    };
  };
  "GET /manager/api/rows/{row}/operations/{operation}": { answer: OperationForm };
  "POST /manager/api/rows/{row}/operations/{operation}/enable": {
    answer: { row_id: string; operation: string; enabled: boolean };
  };
  "POST /manager/api/rows/{row}/operations/{operation}/disable": {
    answer: { row_id: string; operation: string; enabled: boolean };
  };
  "POST /manager/api/rows/{row}/operations/{operation}/test": {
    body: { params?: Record<string, unknown>; retry_of?: string };
    answer: { result: unknown; run_id: string };
  };
  "POST /manager/api/rows/{row}/operations/{operation}/inputs/{input}/widget": {
    body: { op?: string; arg?: string; input?: Record<string, string>; value?: string };
    answer: { html: string; html_cut?: boolean; result?: unknown; run_id?: string };
  };
  "GET /manager/api/rows/{row}/runs": {
    query: {
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      before?: string;
      limit?: number;
      grouped?: string;
    };
    answer: RunPage;
  };
  "GET /manager/api/rows/{row}/runs/export": {
    query: {
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
    };
    answer: string;
  };
  "GET /manager/api/operations": {
    query: { q?: string; row?: string; connector?: string; limit?: number; after?: number };
    answer: {
      operations: Array<CallableOperation>;
      total: number;
      next: string | null;
      related: Array<string>;
    };
  };
  "GET /manager/api/operations/as-a-client": {
    query: { q?: string; tool_id?: string };
    answer: ModelAnswer;
  };
  "POST /manager/api/operations/calls": {
    body: {
      calls: Array<{ tool_id: string; params?: Record<string, unknown>; fields?: Array<string> }>;
      ordered?: boolean;
      stop_on_error?: boolean;
    };
    answer: TriedCalls;
  };
  "POST /manager/api/operations/{row}/{operation}/call": {
    body: { params?: Record<string, unknown>; fields?: Array<string> };
    answer: TriedCall;
  };
  "GET /manager/api/attention": {
    query: { limit?: number; after?: string };
    answer: { items: Array<AttentionItem>; next: string | null; total: number };
  };
  "GET /manager/api/overview": { query: { span?: "day" | "week" }; answer: Overview };
  "GET /manager/api/search": { query: { q: string }; answer: Found };
  "GET /manager/api/runs": {
    query: {
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      before?: string;
      limit?: number;
      grouped?: string;
      row?: string;
      connector?: string;
    };
    answer: RunPage;
  };
  "GET /manager/api/runs/summary": {
    query: { from?: string; to?: string; row?: string; by_row?: "all" | "none" };
    answer: RunSummary;
  };
  "GET /manager/api/runs/counts": {
    query: {
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      row?: string;
      connector?: string;
    };
    answer: RunCounts;
  };
  "GET /manager/api/runs/figures": {
    query: {
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      row?: string;
      connector?: string;
    };
    answer: CallFigures;
  };
  "GET /manager/api/runs/errors": {
    query: {
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      row?: string;
      connector?: string;
    };
    answer: CallErrors;
  };
  "GET /manager/api/runs/export": {
    query: {
      user?: string;
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      row?: string;
      connector?: string;
    };
    answer: string;
  };
  "GET /manager/api/runs/{run}": { answer: HistoryRun };
  "GET /manager/api/runs/{run}/rules": { answer: RuleExplanation };
  "GET /manager/api/runs/{run}/form": {
    answer: { tool_id: string; params: Record<string, unknown> };
  };
  "POST /manager/api/runs/{run}/retry": { answer: { result: unknown; run_id: string } };
  "POST /manager/api/runs/{run}/cancel": { answer: { id: string; cancelling: true } };
  "GET /manager/api/plugins": {
    answer: { plugins: Array<Plugin>; fence: { in_force: boolean; text: string } };
  };
  "GET /manager/api/plugins/catalog": {
    query: { q?: string };
    answer: {
      plugins: Array<{
        key: string;
        name: string;
        logo: string | null;
        description: string;
        version: string;
        platforms: Array<string>;
        available: boolean;
        form: "standalone" | "thin" | null;
        installed_version: string | null;
        update_available: boolean;
        unavailable_reason: string | null;
      }>;
      stale_since: string | null;
      no_catalog: string | null;
    };
  };
  "POST /manager/api/plugins/install": {
    body: { source: string; allow_downgrade?: boolean; replace?: boolean };
    answer: Plugin;
  };
  "POST /manager/api/plugins/upload": {
    query: { name?: string; allow_downgrade?: "true" | "false"; replace?: "true" | "false" };
    body: Blob;
    answer: Plugin;
  };
  "GET /manager/api/plugins/{key}": { answer: Plugin };
  "DELETE /manager/api/plugins/{key}": { query: { data?: "true" | "false" }; answer: Plugin };
  "POST /manager/api/plugins/{key}/update": { body: { replace?: boolean }; answer: PluginUpdate };
  "POST /manager/api/plugins/{key}/enable": { answer: Plugin };
  "POST /manager/api/plugins/{key}/disable": { answer: Plugin };
  "GET /manager/api/workflows": {
    query: {
      limit?: number;
      after?: string;
      q?: string;
      tag?: string;
      owner?: string;
      state?: "published" | "draft" | "disabled" | "failing";
    };
    answer: { workflows: Array<WorkflowSummary>; next: string | null; may_create: boolean };
  };
  "POST /manager/api/workflows": {
    body: {
      name: string;
      description?: string;
      run_by?: "tags" | "owner";
      body?: unknown;
      example?: string;
      rows?: Record<string, string>;
      env?: Record<string, string>;
      id?: string;
    };
    answer: WorkflowDetail;
  };
  "GET /manager/api/workflow-examples": { answer: { examples: Array<WorkflowExample> } };
  "GET /manager/api/workflow-schedule": {
    query: { schedule: string; timezone?: string };
    answer: WorkflowSchedulePreview;
  };
  "POST /manager/api/workflows/import": {
    body: {
      format?: "hub-workflow";
      name: string;
      description?: string;
      run_by?: "tags" | "owner";
      body: unknown;
      rows?: Record<string, { connector: string; from: "plugin" | "built-in" }>;
      secrets?: Array<string>;
      id?: string;
    };
    answer: WorkflowDetail;
  };
  "POST /manager/api/workflows/validate": {
    body: { body: unknown };
    answer: { problems: Array<WorkflowProblem>; opened: Array<WorkflowOpened> };
  };
  "GET /manager/api/workflows/{workflow}": { answer: WorkflowDetail };
  "PATCH /manager/api/workflows/{workflow}": {
    body: { name?: string; description?: string; run_by?: "tags" | "owner" };
    answer: WorkflowDetail;
  };
  "DELETE /manager/api/workflows/{workflow}": { answer: { id: string; name: string } };
  "POST /manager/api/workflows/{workflow}/enable": { answer: WorkflowDetail };
  "POST /manager/api/workflows/{workflow}/disable": { answer: WorkflowDetail };
  "PUT /manager/api/workflows/{workflow}/draft": {
    body: { revision: number; body: unknown };
    answer: {
      id: string;
      name: string;
      description: string;
      tags: Array<string>;
      enabled: boolean;
      version: number;
      run_by: "tags" | "owner";
      access: "manage" | "accept" | "see";
      may_start: boolean;
      has_active_owner: boolean;
      owner: WorkflowUser | null;
      pending_owner: WorkflowUser | null;
      draft: WorkflowDraft | null;
      created_at: string;
      updated_at: string;
      body: unknown;
      secrets: Array<WorkflowSecret> | null;
      problems: Array<WorkflowProblem>;
    };
  };
  "POST /manager/api/workflows/{workflow}/validate": {
    body: { body?: unknown };
    answer: { problems: Array<WorkflowProblem>; opened: Array<WorkflowOpened> };
  };
  "POST /manager/api/workflows/{workflow}/publish": {
    body: { revision: number; note?: string };
    answer: {
      id: string;
      name: string;
      description: string;
      tags: Array<string>;
      enabled: boolean;
      version: number;
      run_by: "tags" | "owner";
      access: "manage" | "accept" | "see";
      may_start: boolean;
      has_active_owner: boolean;
      owner: WorkflowUser | null;
      pending_owner: WorkflowUser | null;
      draft: WorkflowDraft | null;
      created_at: string;
      updated_at: string;
      body: unknown;
      secrets: Array<WorkflowSecret> | null;
      problems: Array<WorkflowProblem>;
      opened: Array<WorkflowOpened>;
    };
  };
  "POST /manager/api/workflows/{workflow}/preview": {
    body: { template: string; run?: string };
    answer: WorkflowPreview;
  };
  "GET /manager/api/workflows/{workflow}/versions": {
    answer: { versions: Array<WorkflowVersion> };
  };
  "GET /manager/api/workflows/{workflow}/versions/{version}": {
    params: { workflow: string; version: number };
    answer: {
      version: number;
      note: string;
      published_by: WorkflowUser;
      published_at: string;
      is_published: boolean;
      is_draft: boolean;
      body: unknown;
    };
  };
  "POST /manager/api/workflows/{workflow}/versions/{version}/restore": {
    params: { workflow: string; version: number };
    body: { revision: number };
    answer: WorkflowDetail;
  };
  "GET /manager/api/workflows/{workflow}/diff": {
    query: { from?: string; to?: string };
    answer: { from: string; to: string; difference: WorkflowDifference };
  };
  "GET /manager/api/workflows/{workflow}/explanation": {
    query: { version?: string };
    answer: WorkflowExplanation;
  };
  "GET /manager/api/workflows/{workflow}/export": { answer: WorkflowExport };
  "GET /manager/api/workflows/{workflow}/opened": {
    answer: { published: Array<WorkflowOpened>; draft: Array<WorkflowOpened> };
  };
  "PUT /manager/api/workflows/{workflow}/tags": {
    body: { tags: Array<string> };
    answer: WorkflowDetail;
  };
  "GET /manager/api/workflows/{workflow}/secrets": { answer: { secrets: Array<WorkflowSecret> } };
  "PUT /manager/api/workflows/{workflow}/secrets/{secret}": {
    body: { value: string };
    answer: { secrets: Array<WorkflowSecret> };
  };
  "DELETE /manager/api/workflows/{workflow}/secrets/{secret}": {
    answer: { secrets: Array<WorkflowSecret> };
  };
  "PUT /manager/api/workflows/{workflow}/secrets/{secret}/reference": {
    body: { reference: string };
    answer: { secrets: Array<WorkflowSecret> };
  };
  "GET /manager/api/workflows/{workflow}/pins": { answer: { pins: Array<WorkflowPin> } };
  "PUT /manager/api/workflows/{workflow}/pins/{node}": {
    body: { run?: string; node?: string };
    answer: { pins: Array<WorkflowPin> };
  };
  "DELETE /manager/api/workflows/{workflow}/pins/{node}": { answer: { pins: Array<WorkflowPin> } };
  "GET /manager/api/workflows/{workflow}/ticks": { answer: { triggers: Array<WorkflowTicks> } };
  "GET /manager/api/workflows/{workflow}/scheduled": {
    query: { limit?: number; after?: string };
    answer: { runs: Array<WorkflowScheduledRun>; next: string | null };
  };
  "PATCH /manager/api/workflows/{workflow}/scheduled/{run}": {
    body: { scheduled_at: string | number };
    answer: WorkflowScheduledRun;
  };
  "DELETE /manager/api/workflows/{workflow}/scheduled/{run}": { answer: WorkflowScheduledRun };
  "GET /manager/api/workflows/{workflow}/webhooks": {
    answer: { webhooks: Array<WorkflowWebhook> };
  };
  "GET /manager/api/workflows/{workflow}/deliveries": {
    query: { limit?: number; after?: string; trigger?: string; outcome?: "accepted" | "refused" };
    answer: { deliveries: Array<WebhookDelivery>; next: string | null };
  };
  "POST /manager/api/workflows/{workflow}/offer": {
    body: { owner: string };
    answer: WorkflowDetail;
  };
  "DELETE /manager/api/workflows/{workflow}/offer": { answer: Workflow };
  "POST /manager/api/workflows/{workflow}/accept": {
    body: { updated_at: string };
    answer: WorkflowDetail;
  };
  "GET /manager/api/workflows/{workflow}/manual": {
    query: { body?: "published" | "draft" };
    answer: { triggers: Array<WorkflowManualTrigger> };
  };
  "GET /manager/api/workflows/{workflow}/runs": {
    query: {
      limit?: number;
      after?: string;
      state?: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled" | "dropped" | "unknown";
      trigger?: string;
      from?: string;
      to?: string;
    };
    answer: { runs: Array<WorkflowRun>; next: string | null };
  };
  "POST /manager/api/workflows/{workflow}/runs": {
    body: {
      dry_run?: boolean;
      only_node?: string;
      pins?: Record<string, unknown>;
      draft_pins?: boolean;
      pins_from?: string;
      trigger_id?: string;
      payload?: unknown;
      draft?: boolean;
      error_triggers?: boolean;
      wait_s?: number;
    };
    answer: WorkflowOutcome;
  };
  "GET /manager/api/workflows/{workflow}/runs/{run}": { answer: WorkflowRunDetail };
  "GET /manager/api/workflows/{workflow}/runs/{run}/body": {
    answer: { version: number | null; body: unknown };
  };
  "GET /manager/api/workflows/{workflow}/runs/{run}/diagnosis": { answer: WorkflowDiagnosis };
  "GET /manager/api/workflows/{workflow}/runs/{run}/events": {
    query: { items?: "true" | "false" };
    answer: WorkflowRunEvents;
  };
  "POST /manager/api/workflows/{workflow}/runs/{run}/cancel": {
    answer: { id: string; cancelled: "now" | "soon" };
  };
  "POST /manager/api/workflows/{workflow}/runs/{run}/replay": {
    body: { draft?: boolean; error_triggers?: boolean; dry_run?: boolean };
    answer: WorkflowOutcome;
  };
  "GET /manager/api/workflows/{workflow}/runs/{run}/resume": {
    query: { body?: "then" | "draft" | "published" };
    answer: WorkflowResume;
  };
  "POST /manager/api/workflows/{workflow}/runs/{run}/resume": {
    body: { body?: "then" | "draft" | "published"; decisions?: Array<WorkflowDecision> };
    answer: WorkflowResumed;
  };
  "GET /manager/api/approvals": {
    query: {
      limit?: number;
      after?: string;
      state?: "pending" | "approved" | "denied" | "expired" | "cancelled";
      workflow?: string;
      run?: string;
      mine?: "true" | "false";
      decided?: "true" | "false";
      may_decide?: "true" | "false";
    };
    answer: { approvals: Array<WorkflowApproval>; waiting_total: number; next: string | null };
  };
  "GET /manager/api/approvals/{approval}": { answer: WorkflowApprovalDetail };
  "POST /manager/api/approvals/{approval}/decide": {
    body: { decision: "approved" | "denied"; hash: string; comment?: string };
    answer: WorkflowApprovalDetail;
  };
  "GET /manager/api/pending-calls": {
    query: {
      limit?: number;
      after?: string;
      state?: "open" | "approved" | "running" | "done" | "unknown" | "denied" | "expired" | "changed" | "ended";
      mine?: "true" | "false";
      decided?: "true" | "false";
      outcome?: "approved" | "denied" | "expired" | "ended";
      decidable?: "true" | "false";
    };
    answer: { calls: Array<PendingCall>; next: string | null };
  };
  "GET /manager/api/waiting-decisions": { answer: { decisions: Array<WaitingDecision> } };
  "GET /manager/api/pending-calls/{call}": { answer: PendingCallDetail };
  "POST /manager/api/pending-calls/{call}/decision": {
    body: { decision: "approved" | "denied"; hash: string; comment?: string; hour?: boolean };
    answer: PendingCallDetail;
  };
  "PUT /manager/api/pending-calls/{call}/deputy": {
    body: { deputy: string | null };
    answer: PendingCallDetail;
  };
  "GET /manager/api/permits": {
    query: { limit?: number; after?: string; user?: string };
    answer: { permits: Array<CallPermit>; next: string | null };
  };
  "DELETE /manager/api/permits/{permit}": { answer: { id: string } };
  "GET /manager/api/secret-references": {
    answer: { references: Array<{ id: string; name: string }> };
  };
  "PUT /manager/api/rows/{row}/secrets/{field}/reference": {
    body: { reference: string };
    answer: RowDetail;
  };
  "GET /admin/api/secret-sources": { answer: { sources: Array<SecretSource> } };
  "POST /admin/api/secret-sources": {
    body: {
      name: string;
      settings: SecretSourceSettings;
      credentials?: Record<string, string>;
      prefixes: Array<string>;
      revision?: number;
    };
    answer: SecretSource;
  };
  "PUT /admin/api/secret-sources/{source}": {
    body: {
      name: string;
      settings: SecretSourceSettings;
      credentials?: Record<string, string>;
      prefixes: Array<string>;
      revision?: number;
    };
    answer: SecretSource;
  };
  "DELETE /admin/api/secret-sources/{source}": { answer: { id: string; name: string } };
  "GET /admin/api/secret-references": { answer: { references: Array<SecretReference> } };
  "POST /admin/api/secret-references": {
    body: {
      name: string;
      source: string;
      path: string;
      field?: string;
      version?: string | null;
      tags?: Array<string>;
      rows?: Array<string>;
      confirm_rows?: Array<{ id: string; addresses: Array<string> }>;
      hosts?: Array<string>;
      revision?: number;
    };
    answer: SecretReference;
  };
  "GET /admin/api/secret-destinations": {
    query: { ids?: string };
    answer: { destinations: Array<SecretDestination> };
  };
  "PUT /admin/api/secret-references/{reference}": {
    body: {
      name: string;
      source: string;
      path: string;
      field?: string;
      version?: string | null;
      tags?: Array<string>;
      rows?: Array<string>;
      confirm_rows?: Array<{ id: string; addresses: Array<string> }>;
      hosts?: Array<string>;
      revision?: number;
    };
    answer: SecretReference;
  };
  "DELETE /admin/api/secret-references/{reference}": { answer: { id: string; name: string } };
  "POST /admin/api/secret-references/{reference}/refresh": { answer: SecretRead };
  "GET /admin/api/secret-references/{reference}/reads": { answer: { reads: Array<SecretRead> } };
  "GET /admin/api/users": {
    query: {
      limit?: number;
      after?: string;
      q?: string;
      role?: "admin" | "user";
      status?: "pending" | "active" | "disabled";
      tag?: string;
      without_tag?: string;
    };
    answer: {
      users: Array<User>;
      next: string | null;
      total: number;
      by_status: { active: number; pending: number; disabled: number };
    };
  };
  "POST /admin/api/users": {
    body: {
      email: string;
      name?: string;
      role?: "admin" | "user";
      tags?: Array<string>;
      prepared?: boolean;
    };
    answer: User;
  };
  "GET /admin/api/users/{user}": {
    answer: {
      id: string;
      email: string;
      name: string;
      role: "admin" | "user";
      status: "pending" | "active" | "disabled";
      tags: Array<string>;
      created_at: string;
      linked: { identities: number; chat_accounts: number; second_factors: number };
    };
  };
  "PATCH /admin/api/users/{user}": {
    body: {
      name?: string;
      role?: "admin" | "user";
      tags?: Array<string>;
      add_tags?: Array<string>;
      remove_tags?: Array<string>;
    };
    answer: User;
  };
  "GET /admin/api/users/{user}/groups": { answer: UserGroups };
  "GET /admin/api/groups": { answer: GroupLines };
  "PUT /admin/api/groups": {
    body: { revision: number; lines: Array<GroupLine> };
    answer: GroupLines;
  };
  "POST /admin/api/users/{user}/enable": { answer: User };
  "POST /admin/api/users/{user}/disable": { answer: User };
  "POST /admin/api/users/{user}/unlock": { answer: User };
  "POST /admin/api/users/{user}/one-time-password": {
    answer: { email: string; one_time_password: string };
  };
  "POST /admin/api/users/{user}/sessions/end": { answer: { ended: number } };
  "GET /admin/api/users/{user}/rows": {
    query: { limit?: number; after?: string };
    answer: { rows: Array<ListedRow>; next: string | null; total: number };
  };
  "GET /admin/api/users/{user}/tag-preview": {
    query: { tags?: string };
    answer: {
      gained: { total: number; rows: Array<{ id: string; label: string }> };
      lost: { total: number; rows: Array<{ id: string; label: string }> };
    };
  };
  "GET /admin/api/users/{user}/identities": { answer: { identities: Array<Identity> } };
  "DELETE /admin/api/users/{user}/identities/{identity}": {
    answer: { identities: Array<Identity> };
  };
  "GET /admin/api/users/{user}/chat-accounts": { answer: { accounts: Array<ChatAccount> } };
  "DELETE /admin/api/users/{user}/chat-accounts/{account}": { answer: ChatAccount };
  "GET /admin/api/users/{user}/factors": {
    answer: { factors: Array<SecondFactor>; recovery_codes_left: number };
  };
  "DELETE /admin/api/users/{user}/factors": { answer: { email: string; removed: number } };
  "GET /admin/api/service-users": { answer: { service_users: Array<ServiceUser> } };
  "POST /admin/api/service-users": {
    body: { name: string; owner?: string; role?: "admin" | "user"; tags?: Array<string> };
    answer: ServiceUser;
  };
  "PATCH /admin/api/service-users/{user}": {
    body: {
      owner?: string;
      role?: "admin" | "user";
      tags?: Array<string>;
      status?: "active" | "disabled";
    };
    answer: ServiceUser;
  };
  "POST /admin/api/service-users/{user}/tokens": {
    body: { name: string; expires_in_days?: number; bounds?: TokenBounds };
    answer: CreatedToken;
  };
  "GET /admin/api/machine-clients": { answer: { machine_clients: Array<MachineClient> } };
  "POST /admin/api/machine-clients": {
    body: {
      name: string;
      service_user?: string;
      auth?: "client_secret" | "private_key_jwt";
      jwks?: unknown;
      expires_in_days?: number;
      bounds?: TokenBounds;
    };
    answer: CreatedMachineClient;
  };
  "DELETE /admin/api/machine-clients/{client}": { answer: MachineClient };
  "GET /admin/api/trusted-issuers": { answer: { trusted_issuers: Array<TrustedIssuer> } };
  "POST /admin/api/trusted-issuers": {
    body: {
      name: string;
      issuer: string;
      kind?: "workload" | "id_jag";
      jwks_uri?: string;
      audience?: string;
      conditions?: Array<{ claim: string; value: string } | { claim: string; prefix: string }>;
      service_user?: string;
      bounds?: TokenBounds;
    };
    answer: TrustedIssuer;
  };
  "DELETE /admin/api/trusted-issuers/{issuer}": { answer: TrustedIssuer };
  "GET /admin/api/refused-sign-ins": { answer: RefusedSignIns };
  "GET /admin/api/tags": { answer: { tags: Array<{ name: string; users: number; rows: number }> } };
  "GET /admin/api/scim-clients": { answer: { clients: Array<ScimClient>; address: string } };
  "POST /admin/api/scim-clients": {
    body: { name: string; issuer?: string; addresses?: Array<string>; expires_in_days?: number };
    answer: CreatedScimClient;
  };
  "POST /admin/api/scim-clients/{client}/rotate": {
    body: { expires_in_days?: number };
    answer: CreatedScimClient;
  };
  "DELETE /admin/api/scim-clients/{client}": { answer: ScimClient };
  "PUT /admin/api/users/{user}/scim-client": {
    body: { client: string };
    answer: { id: string; email: string };
  };
  "DELETE /admin/api/users/{user}/scim-client": { answer: { id: string; email: string } };
  "GET /admin/api/tokens": {
    query: {
      limit?: number;
      after?: string;
      user?: string;
      q?: string;
      state?: "active" | "expired" | "revoked";
    };
    answer: { tokens: Array<Token>; next: string | null; total: number };
  };
  "POST /admin/api/tokens/{token}/revoke": { answer: Token };
  "GET /admin/api/sessions": {
    query: { limit?: number; after?: string; user?: string };
    answer: { sessions: Array<Session>; next: string | null };
  };
  "POST /admin/api/sessions/{session}/end": { answer: { id: string } };
  "GET /admin/api/applications": {
    query: { limit?: number; after?: string; user?: string; q?: string };
    answer: { applications: Array<Application>; next: string | null; total: number };
  };
  "POST /admin/api/applications/{application}/revoke": { answer: Application };
  "GET /admin/api/status": { answer: Status };
  "GET /admin/api/doctor": { answer: { ok: boolean; checks: Array<DoctorCheck> } };
  "GET /admin/api/settings": { answer: { settings: Array<Setting> } };
  "PUT /admin/api/settings/{setting}": {
    body: { value: string | number; from?: string | null };
    answer: Setting;
  };
  "DELETE /admin/api/settings/{setting}": { query: { from?: string }; answer: Setting };
  "GET /admin/api/changes": {
    query: {
      actor_id?: string;
      action?: string;
      target_kind?: string;
      target_id?: string;
      from?: string;
      to?: string;
      before?: string;
      limit?: number;
      grouped?: "true" | "false";
    };
    answer: { changes: Array<ChangeEntry>; next: string | null };
  };
  "GET /profile/api/me": { answer: { user: User; csrf_token: string | null; mcp_url: string } };
  "GET /profile/api/setup": { answer: SetupProgress };
  "GET /profile/api/tokens": {
    query: { limit?: number; after?: string };
    answer: { tokens: Array<Token>; next: string | null };
  };
  "POST /profile/api/tokens": {
    body: {
      name: string;
      scope?: "mcp" | "manage";
      expires_in_days?: number;
      bounds?: TokenBounds;
    };
    answer: CreatedToken;
  };
  "POST /profile/api/tokens/{token}/revoke": { answer: Token };
  "POST /profile/api/tokens/{token}/rotate": {
    body: { overlap_hours?: number };
    answer: RotatedToken;
  };
  "GET /profile/api/sessions": {
    answer: {
      sessions: Array<{
        id: string;
        user: string;
        created_at: string;
        last_seen_at: string;
        expires_at: string;
        ip_address: string | null;
        user_agent: string | null;
        current: boolean;
      }>;
    };
  };
  "POST /profile/api/sessions/end-others": { answer: { ended: number } };
  "POST /profile/api/sessions/{session}/end": { answer: { id: string } };
  "GET /profile/api/identities": { answer: { identities: Array<Identity> } };
  "GET /profile/api/factors": {
    answer: { factors: Array<SecondFactor>; recovery_codes_left: number };
  };
  "DELETE /profile/api/factors/{factor}": {
    answer: { factors: Array<SecondFactor>; recovery_codes_left: number };
  };
  "GET /profile/api/chat-accounts": {
    answer: { accounts: Array<ChatAccount>; link: ChatLink | null };
  };
  "POST /profile/api/chat-accounts/links": { answer: CreatedChatLink };
  "POST /profile/api/chat-accounts/links/{link}/confirm": { answer: ChatAccount };
  "DELETE /profile/api/chat-accounts/links/{link}": { answer: { id: string } };
  "DELETE /profile/api/chat-accounts/{account}": { answer: ChatAccount };
  "GET /profile/api/applications": { answer: { applications: Array<Application> } };
  "POST /profile/api/applications/{application}/revoke": { answer: Application };
  "GET /profile/api/runs": {
    query: {
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      before?: string;
      limit?: number;
      grouped?: string;
      row?: string;
      connector?: string;
    };
    answer: RunPage;
  };
  "GET /profile/api/runs/counts": {
    query: {
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      row?: string;
      connector?: string;
    };
    answer: RunCounts;
  };
  "GET /profile/api/runs/export": {
    query: {
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      row?: string;
      connector?: string;
    };
    answer: string;
  };
  "GET /profile/api/runs/figures": {
    query: {
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      row?: string;
      connector?: string;
    };
    answer: CallFigures;
  };
  "GET /profile/api/runs/errors": {
    query: {
      status?: "running" | "success" | "error" | "denied" | "cancelled";
      source?: "mcp" | "test" | "retry" | "workflow";
      operation?: string;
      code?: string;
      error?: string;
      cause_id?: string;
      from?: string;
      to?: string;
      row?: string;
      connector?: string;
    };
    answer: CallErrors;
  };
};

export type Api = { [Name in keyof Routes]: Route<Name, Routes[Name]> };
