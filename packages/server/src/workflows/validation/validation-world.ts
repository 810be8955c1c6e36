import type { FieldSpec } from "@hub/connector";
import type { ChatEventType } from "../channels/chat-event-type.ts";
import type { SourceCheck } from "../code/run-code.ts";

/** An operation that the owner of a workflow sees. */
export type FoundOperation = {
  inputFields: readonly FieldSpec[];
  /** Whether it accepts params that are no fields. */
  hasOtherParams?: boolean;
  /** The JSON Schema of its results. Undefined if it has none. */
  readOutputSchema?(): unknown;
  /** Whether its row brought it, whose results may also be of other kinds. */
  isFromRow?: boolean;
  /** The workflow that it starts, if it is the operation of a workflow's row. */
  workflowId?: string;
  /** What an admin has disabled, so that calls are refused. Null if nothing is. */
  disabled: "connector" | "row" | "operation" | null;
  /** The settings that its row lacks, so that calls are refused. */
  missing: readonly string[];
};

/** Another workflow. It runs only when it is published and enabled. */
export type FoundWorkflow = { isPublished: boolean; isEnabled: boolean };

/** A channel that the owner of a workflow sees. */
export type FoundChannel = {
  events: readonly ChatEventType[];
  /** The actions that an admin has not hidden. */
  opKeys: readonly string[];
  findOp(key: string): FoundOperation | null;
  disabled: "connector" | "row" | null;
  missing: readonly string[];
};

/**
 * What the validation knows beside the body. A check whose knowledge is missing is left out, so that
 * a body can be checked without a hub.
 */
export type ValidationWorld = {
  /** What is only missing for now is a warning in a draft, and an error for publishing. */
  purpose: "draft" | "publish";
  /** The workflow's own id. */
  workflowId?: string;
  owner?: { isAdmin: boolean };
  /** Whether owners who are not admins may use `http` nodes. */
  areHttpNodesForUsers?: boolean;
  /** Finds the first error of syntax in each script of the body. */
  checkSource?: SourceCheck;
  /** The names of the secrets that the workflow has. */
  secretNames?: ReadonlySet<string>;
  /** The operation with this tool id; null if the owner does not see it. */
  findOperation?(toolId: string): FoundOperation | null | Promise<FoundOperation | null>;
  /** The channel with this name; null if the owner sees none. */
  findChannel?(name: string): FoundChannel | null;
  /** Whether an active user has one of these tags or e-mails now. */
  hasApprover?(approvers: { tags: readonly string[]; users: readonly string[] }): Promise<boolean>;
  /** The slugs of channels that the owner sees. */
  channelSlugs?: readonly string[];
  /** Some rows of a connector with an operation that the owner sees. */
  listRows?(
    connectorKey: string,
    operationKey: string,
  ): ReadonlyArray<{ id: string; label: string }>;
  /** A workflow that the owner may run, or start runs from the errors of; null if there is none. */
  findWorkflow?(
    id: string,
    use: "run" | "errors",
  ): FoundWorkflow | null | Promise<FoundWorkflow | null>;
};
