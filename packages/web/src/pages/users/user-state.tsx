import type { UserStatus } from "@hub/contract/user.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";

const states = {
  active: { tone: "good", text: "Active" },
  pending: { tone: "warn", text: "Pending" },
  disabled: { tone: "off", text: "Disabled" },
} as const;

/** Whether a user may use the hub. */
export function UserState({ status }: { status: UserStatus }) {
  return <StateBadge {...states[status]} />;
}
