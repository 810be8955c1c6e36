import { isJsonObject } from "../../json.ts";

/**
 * Converts a module for hosts of version 1. They know `ConfigOnly` operations, which clients are
 * not offered, but not `adminOnly` ones. So an `adminOnly` operation becomes `ConfigOnly`, because
 * otherwise they would let a model run it.
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
