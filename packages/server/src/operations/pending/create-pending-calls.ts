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
export function createPendingCalls({ now }: PendingDeps): PendingCalls {
  return {
    async findRequest() {
      throw new HubError("not_found", "There is no such pending call. Call again with params.");
    },
    admit({ caller }, { directory }, { target }) {
      const judged = judgeCall(directory.rules, { caller, ...target }, { now });
      if (judged.kind === "pass") return null;
      throw new HubError("refused_by_rule", "A rule of this hub refuses this call.");
    },
    async finish() {},
  };
}
