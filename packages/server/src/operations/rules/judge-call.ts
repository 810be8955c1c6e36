import type { Operation } from "../../connectors/connector-port.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import type { ConfirmPlace } from "../../store/database/tables/pending-tables.ts";
import type { CallContext } from "../operations.ts";

/** A rule that applies to a call. */
export type AppliedRule = {
  id: string;
  revision: number;
  name: string;
  /** What approvers read of it. */
  sentence: string;
  decide: { by: "caller" } | { by: "tags"; tags: readonly string[] };
  /** Users who may not decide beside the caller, such as its writer, by id. */
  changedBy: string | null;
  confirm: ConfirmPlace;
  /** Whether an approver may permit the operation for an hour, and with which params unchanged. */
  hour: { allowed: boolean; fixed: readonly string[]; destructive: boolean };
  runsOnApproval: boolean;
};

/** What the rules say of a call. `free`: so many calls of a user in an hour pass, further ones are asked. */
export type Judgement =
  | { kind: "pass" }
  | { kind: "free"; rule: AppliedRule; count: number }
  | { kind: "ask"; rule: AppliedRule }
  | { kind: "refuse"; rule: AppliedRule };

export type JudgedCall = {
  caller: CallContext["caller"];
  row: Row;
  operation: Operation;
  params: Record<string, unknown>;
  source: CallContext["origin"]["source"];
};

const passes: Judgement = { kind: "pass" };

/** Costs a call that no rule names no query. */
export function judgeCall(_call: JudgedCall): Judgement {
  return passes;
}
