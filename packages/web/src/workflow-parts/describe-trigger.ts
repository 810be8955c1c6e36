import type { IconName } from "@hub/contract/icons.ts";

const types: Record<string, { name: string; icon: IconName }> = {
  cron: { name: "Schedule", icon: "clock" },
  webhook: { name: "Webhook", icon: "connect" },
  channel: { name: "Chat", icon: "message" },
  manual: { name: "By hand", icon: "play" },
  schedule_at: { name: "One-shot", icon: "clock" },
  error: { name: "Failure", icon: "warning" },
};

/** The name and the icon of a type of trigger. */
export function describeTriggerType(type: string): { name: string; icon: IconName } {
  return types[type] ?? { name: type, icon: "play" };
}
