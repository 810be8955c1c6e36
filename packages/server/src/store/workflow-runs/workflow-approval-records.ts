/** The state of an approval. All but `pending` are final. */
export type ApprovalState = "pending" | "approved" | "denied" | "expired" | "cancelled";

/** An approval before it is stored. Its texts have no secrets. Times are epoch ms. */
export type NewApproval = {
  /** A random UUID. */
  id: string;
  workflowId: string;
  runId: string;
  nodeId: string;
  bodyId: string;
  /** Null for a run of the draft. */
  version: number | null;
  /** The run acts as this user. */
  ownerId: string;
  title: string;
  details: string;
  /** JSON: {tags, users}, as the node names them. */
  approvers: string;
  /** Whether those who started the run or edited the workflow may decide too. */
  isSelf: boolean;
  startedBy: string;
  /** JSON: ids of users. */
  starterIds: string;
  editorIds: string;
  /** JSON: what is shown of the nodes that follow, and the values that decide. */
  willRun: string;
  /** JSON: what lists show. Null for approvals of a version before. */
  summary: string | null;
  /** JSON: the hashes that these nodes are compared with. */
  expected: string;
  hash: string;
  createdAt: number;
  expiresAt: number;
  /** Who may decide. */
  people: readonly Approver[];
};

/** Users with a tag, or the user who had an e-mail when the approval was asked for. */
export type Approver =
  | { kind: "tag"; name: string }
  | { kind: "user"; userId: string; email: string };

/** A stored approval without its large values. */
export type ApprovalMark = Omit<ApprovalRecord, "details" | "willRun" | "expected">;

/** A stored approval. */
export type ApprovalRecord = Omit<NewApproval, "people"> & {
  state: ApprovalState;
  decidedAt: number | null;
  decidedBy: string | null;
  /** The e-mail at that time. */
  decidedByEmail: string | null;
  comment: string | null;
};
