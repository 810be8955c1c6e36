import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import { hasFreeRoom } from "../rules/has-free-room.ts";
import { judgeCall } from "../rules/judge-call.ts";
import type { PendingCalls } from "./pending-calls.ts";

export type PendingDeps = {
  db: Db;
  now(): number;
  instanceId: string;
};

/** The calls that wait for a person, of one database. */
export function createPendingCalls({ db, now }: PendingDeps): PendingCalls {
  return {
    async findRequest() {
      throw new HubError("not_found", "There is no such pending call. Call again with params.");
    },
    admit({ caller }, recording, { target }) {
      const judged = judgeCall(recording.directory.rules, { ...target, caller }, { now });
      if (judged.kind === "pass") return null;
      if (judged.kind === "refuse") {
        throw new HubError("refused_by_rule", `The rule "${judged.rule.name}" refuses this call.`);
      }
      if (judged.kind === "ask") throw toQuestion();
      return hasFreeRoom(db, judged.use).then((isFree) => {
        if (!isFree) throw toQuestion();
        recording.useFree(judged.use);
        return null;
      });
    },
    async finish() {},
  };
}

function toQuestion(): HubError {
  return new HubError("approval_required", "A person has to approve this call.");
}
