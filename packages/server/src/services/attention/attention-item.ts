import type { AttentionItem, AttentionKind } from "@hub/contract/attention.ts";
import { toTimeText } from "@hub/contract/time.ts";

/** How much harm each kind does while it is left alone: data first, then calls, then what can wait. */
const harmOf: Record<AttentionKind, number> = {
  database_damaged: 100,
  check_failed: 95,
  disk_low: 90,
  sign_ins_refused: 80,
  plugin_refused: 76,
  row_refused: 74,
  channel_not_connected: 73,
  row_unreachable: 72,
  approval_waiting: 70,
  row_failing: 66,
  workflow_failed: 64,
  backup_late: 62,
  backup_missing: 60,
  check_warning: 50,
  user_waiting: 48,
  token_expiring: 45,
  row_needs_setup: 40,
  row_needs_review: 38,
};

/** Makes an item with the harm of its kind. `since` is in epoch ms, or a time as text. */
export function toItem(
  kind: AttentionKind,
  subject: AttentionItem["subject"],
  text: string,
  { path, since = null }: { path: string; since?: number | string | null },
): AttentionItem {
  const at = typeof since === "number" ? toTimeText(since) : since;
  return { kind, harm: harmOf[kind], subject, text, since: at, path };
}
