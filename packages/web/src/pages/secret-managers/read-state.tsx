import type { SecretRead } from "@hub/contract/secret-source.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";

const readTexts = {
  read: { tone: "good", text: "Read" },
  away: { tone: "warn", text: "Away" },
  refused: { tone: "bad", text: "Refused" },
  absent: { tone: "bad", text: "Absent" },
  bad: { tone: "bad", text: "Unusable" },
} as const;

/** How the last read of a manager or reference ended. */
export function ReadState({ read }: { read: SecretRead | null }) {
  if (read === null) return <StateBadge tone="off" text="Not read" />;
  return (
    <span title={read.reason ?? read.at}>
      <StateBadge {...readTexts[read.outcome]} />
    </span>
  );
}
