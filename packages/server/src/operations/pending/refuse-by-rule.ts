import { HubError } from "../../errors.ts";
import type { AppliedRule } from "../rules/judge-call.ts";

export function refuseByRule({ sentence }: AppliedRule): HubError {
  const reason = sentence === "" ? "" : ` ${sentence}`;
  return new HubError(
    "refused_by_rule",
    `A rule of this hub refuses this call, and no person is asked.${reason} Ask an admin.`,
  );
}
