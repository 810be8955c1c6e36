import { isJsonObject } from "../../json.ts";

/**
 * A module as hosts of version 1 need it. They know operations for settings, which clients are never
 * offered, and none for maintenance: an `adminOnly` one is for settings there, since otherwise they
 * would let a model run it.
 */
export function toVersion1Module<Module extends { Operations?: unknown }>(module: Module): Module {
  if (!Array.isArray(module.Operations)) return module;
  return { ...module, Operations: module.Operations.map(hideMaintenance) };
}

function hideMaintenance(group: unknown): unknown {
  if (!isJsonObject(group) || !Array.isArray(group.Ops)) return group;
  const hide = (operation: unknown) =>
    isJsonObject(operation) && operation.AdminOnly === true
      ? { ...operation, ConfigOnly: true }
      : operation;
  return { ...group, Ops: group.Ops.map(hide) };
}
