import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import { judgeCall } from "../rules/judge-call.ts";
import type { PendingCalls } from "./pending-calls.ts";

export type PendingDeps = {
  db: Db;
  now(): number;
  instanceId: string;
};

/** The calls that wait for a person, of one database. */
export function createPendingCalls(_deps: PendingDeps): PendingCalls {
  return {
    async findRequest() {
      throw new HubError("not_found", "There is no such pending call. Call again with params.");
    },
    admit({ caller, origin }, _recording, { target, params }) {
      const { row, operation } = target;
      const judged = judgeCall({ caller, row, operation, params, source: origin.source });
      if (judged.kind === "pass") return null;
      throw new HubError("refused_by_rule", "A rule of this hub refuses this call.");
    },
    async finish() {},
  };
}
