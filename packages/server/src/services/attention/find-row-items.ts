import type { AttentionItem } from "@hub/contract/attention.ts";
import type { Caller } from "../../caller.ts";
import { listRows } from "../rows/views/visible-rows.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { toItem } from "./attention-item.ts";

/** The rows that need setup. For admins: users cannot mend them. */
export async function findRowItems(deps: ServiceDeps, caller: Caller): Promise<AttentionItem[]> {
  if (caller.role !== "admin") return [];
  const items: AttentionItem[] = [];
  for (let after: string | undefined; ; ) {
    const { items: rows, next } = await listRows(deps, caller, { after });
    for (const { id, label, connector, disabled, disabled_type: isTypeOff, missing } of rows) {
      if (disabled || isTypeOff || missing === null || missing.length === 0) continue;
      const subject = { kind: "row", id, name: label } as const;
      const path = `/manager/connectors/${encodeURIComponent(connector)}/${id}?tab=settings`;
      items.push(toItem("row_needs_setup", subject, `It needs ${missing.join(", ")}.`, { path }));
    }
    if (next === null) return items;
    after = next;
  }
}
