import type { AttentionItem } from "@hub/contract/attention.ts";
import type { Check } from "../doctor/doctor-check.ts";
import { examineQuickly } from "../doctor/examine-hub.ts";
import { listPlugins } from "../plugins/manage-plugins.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { toItem } from "./attention-item.ts";

const path = "/admin/health";

/** What the quick checks of `hub doctor` do not find in order. For admins. */
export async function findCheckItems(deps: ServiceDeps): Promise<AttentionItem[]> {
  const checks = await examineQuickly(deps);
  return checks.flatMap((check) =>
    check.status === "warn" || check.status === "fail" ? [toCheckItem(check)] : [],
  );
}

function toCheckItem({ name, status, message, since }: Check): AttentionItem {
  const subject = { kind: "hub", id: null, name: toTitle(name) } as const;
  const text = toTitle(message).replace(/[^.]$/, "$&.");
  return toItem(toKind({ name, status, since }), subject, text, { path, since: since ?? null });
}

function toKind({ name, status, since }: Pick<Check, "name" | "status" | "since">) {
  if (name === "disk") return "disk_low";
  if (name === "backup") return since === undefined ? "backup_missing" : "backup_late";
  if (name === "database" && status === "fail") return "database_damaged";
  return status === "fail" ? "check_failed" : "check_warning";
}

/** Doctor's texts continue a line. */
function toTitle(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Plugins that the hub refuses or cannot start. For admins. */
export async function findPluginItems(
  deps: Pick<ServiceDeps, "plugins">,
): Promise<AttentionItem[]> {
  return (await listPlugins(deps)).flatMap(({ key, problem }) => {
    if (problem === null) return [];
    const subject = { kind: "plugin", id: key, name: key } as const;
    return [
      toItem("plugin_refused", subject, `The plugin fails: ${problem}`, {
        path: `/manager/connectors?q=${encodeURIComponent(key)}`,
      }),
    ];
  });
}
