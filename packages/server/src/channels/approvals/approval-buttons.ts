/** The prefix of the names of approval buttons. Workflows get no event for such a button. */
const prefix = "hub_approval:";

/** Marks the first block of a question, so that an adapter recognizes it in the events of the platform. */
export const questionName = `${prefix}question`;

export type Decision = "approved" | "denied";

/** The name of a button, such as the `action_id` of Slack. */
export const toButtonName = (decision: Decision): string => `${prefix}${decision}`;

/** The buttons of a question that can be decided. */
export const approvalButtons = [
  { decision: "approved", name: toButtonName("approved"), label: "Approve" },
  { decision: "denied", name: toButtonName("denied"), label: "Deny" },
] as const;

/** Whether a button belongs to a question of the hub. */
export const isApprovalButton = (name: string): boolean => name.startsWith(prefix);

/** The decision that a button stands for; null if it is none of the hub's. */
export function readButtonName(name: string): Decision | null {
  if (name === toButtonName("approved")) return "approved";
  return name === toButtonName("denied") ? "denied" : null;
}
