import type { OperationForm } from "@hub/contract/row-settings.ts";

/** The cards of an operation's inputs. It has no configuration: its only card has its inputs. */
export function nameGroups(groups: OperationForm["groups"]): OperationForm["groups"] {
  const isOnly = groups.length === 1;
  return groups.map((group) =>
    isOnly && group.title === "Configuration" ? { ...group, title: "Inputs" } : group,
  );
}
