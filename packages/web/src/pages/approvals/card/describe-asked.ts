import type { WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";

/** Who was asked in each chat, in words. */
export function describeAsked(asked: WorkflowApprovalDetail["asked_in_chat"]): string[] {
  const peopleOf = new Map<string, string[]>();
  for (const { email, kind, channel, state, failure } of asked) {
    const place = channel === null ? kind : `#${channel.slug}`;
    const person = email ?? "a deleted user";
    const people = peopleOf.get(place) ?? [];
    peopleOf.set(place, [...people, `${person}${describeState(state, failure)}`]);
  }
  return [...peopleOf].map(([place, people]) => `${place}: ${people.join(", ")}`);
}

function describeState(state: "waiting" | "sent" | "failed", failure: string | null): string {
  const reason = failure === null ? "" : `: ${failure.replace(/\.$/, "")}`;
  switch (state) {
    case "sent":
      return "";
    case "waiting":
      return ` (not sent yet${reason})`;
    case "failed":
      return ` (not sent${reason})`;
  }
}
