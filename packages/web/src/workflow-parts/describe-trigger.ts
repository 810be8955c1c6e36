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

type Trigger = { type: string; words: string | null; schedule: string | null };

const shownMax = 3;

/** What starts a workflow in words, such as "Every day at 03:00, webhook". Empty without triggers. */
export function describeTriggers(triggers: readonly Trigger[]): string {
  const texts = triggers.map(
    ({ type, words, schedule }) => words ?? schedule ?? describeTriggerType(type).name,
  );
  const names = Object.values(types).map(({ name }) => name);
  const all = [...new Set(texts)].map((text, at) =>
    at > 0 && names.includes(text) ? text.toLowerCase() : text,
  );
  const more = all.length > shownMax ? ` and ${all.length - shownMax} more` : "";
  return all.slice(0, shownMax).join(", ") + more;
}
