import type { SeenRevision } from "../../caller.ts";
import type { RowRecord } from "../rows/row-record.ts";
import type { CallRuleRecord } from "../rules/call-rule.ts";
import type { WorkflowRunState } from "../workflow-runs/workflow-run-columns.ts";
import type { TokenScope, UserKind, UserRole, UserStatus } from "./tables/user-tables.ts";

/** The current role, status and tags of a user, which decide on access. */
export type UserAccess = {
  userId: string;
  email: string;
  name: string;
  role: UserRole;
  status: UserStatus;
  /** Lower case, with `everyone`. */
  tags: readonly string[];
  kind: UserKind;
  /** Of a service user: its owner, to whose rights its own are limited already. */
  ownerId: string | null;
  /** The present revision, if reading it together saves a round trip. */
  seen?: SeenRevision;
};

/** A token and its user. The caller checks that both are still valid. */
export type TokenOwner = UserAccess & {
  /** The grant of an OAuth access token: tokens change every hour, the grant stays. */
  tokenId: string;
  /** Always `mcp` for an OAuth access token. */
  scope: TokenScope;
  expiresAt: number | null;
  revokedAt: number | null;
  /** JSON: what a bound token limits its calls to. */
  bounds: string | null;
};

/** All rows and states as of one revision. */
export type Snapshot = {
  revision: number;
  /** Oldest first. */
  rows: RowRecord[];
  /** Keys of the disabled connector types. */
  typeDisabled: Set<string>;
  /** Stored settings of the hub, by the name of their variable. */
  settings: Map<string, string>;
  /** The rules of calls. */
  rules: CallRuleRecord[];
};

/** What a webhook that waits for a run answers with. */
export type RunEnd = {
  state: WorkflowRunState;
  /** JSON: {message, code, node_id}. */
  error: string | null;
  /** JSON: the answer of the first webhook_respond step that was committed. */
  answer: string | null;
  /** JSON: the output of the last node that was committed, once the run has ended. */
  output: string | null;
};

/** The statement of `RunEnd`, without its condition. One statement sees one state of the run. */
export const runEnd = `
  select r.state, r.error, r.answer, s.output
  from workflow_runs r
  left join workflow_steps s on s.run_id = r.id and s.node_id = r.last_node and s.item = -1`;

/**
 * The reads of every call, on their own connection. They throw on database errors: access fails
 * closed.
 */
export type HotReads = {
  findTokenOwner(tokenHash: Uint8Array): Promise<TokenOwner | null>;
  /** The same for an OAuth access token. Null if its grant has ended. */
  findOAuthTokenOwner(tokenHash: Uint8Array): Promise<TokenOwner | null>;
  findUserAccess(userId: string): Promise<UserAccess | null>;
  loadSnapshot(): Promise<Snapshot>;
  readRevision(): Promise<number>;
  /** How far a run of a workflow is. Null if it does not exist. */
  readRunEnd(runId: string): Promise<RunEnd | null>;
};
