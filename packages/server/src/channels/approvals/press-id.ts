/** The words of the buttons of a question. Workflows get no event of a button that begins so. */
const prefix = "hub_approval:";

export type Decision = "approved" | "denied";

/** The name of a button, such as the `action_id` of Slack. */
export const toPressName = (decision: Decision): string => `${prefix}${decision}`;

/** Whether a button belongs to a question of the hub. */
export const isPressName = (name: string): boolean => name.startsWith(prefix);

/** The decision that a button stands for; null if it is none of the hub's. */
export function readPressName(name: string): Decision | null {
  if (name === toPressName("approved")) return "approved";
  return name === toPressName("denied") ? "denied" : null;
}
