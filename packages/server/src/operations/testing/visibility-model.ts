/**
 * Who may see and run what, as sections 6 and 9 of the design say it. Shares no code with the hub:
 * what both had wrong, no comparison could show.
 */
export type ModelUser = {
  role: "admin" | "user";
  status: "pending" | "active" | "disabled";
  tags: string[];
};

export type ModelRow = {
  connector: string;
  tags: string[];
  disabled: boolean;
  /** Operations that an admin switched on or off. */
  states: Record<string, boolean>;
};

export type ModelOperation = { configOnly: boolean; adminOnly: boolean };

export type ModelWorld = {
  /** Operations of the connectors that are registered, by key. */
  registered: Map<string, Record<string, ModelOperation>>;
  disabledTypes: Set<string>;
};

/** What becomes of a call, before its params are looked at. */
export type Verdict = "open" | "not_found" | "connector_disabled" | "operation_disabled";

/** Only active users get through any door. */
export function mayEnter(user: ModelUser): boolean {
  return user.status === "active";
}

/** What a client is told of an operation of a row. Null stands for a row that is not there. */
export function judgeClient(
  world: ModelWorld,
  user: ModelUser,
  row: ModelRow | null,
  operationKey: string,
): Verdict {
  const operation = findModelOperation(world, row, operationKey);
  if (row === null || operation === null || !sees(user, row)) return "not_found";
  if (operation.configOnly || operation.adminOnly) return "not_found";
  if (row.disabled || world.disabledTypes.has(row.connector)) return "connector_disabled";
  return row.states[operationKey] === false ? "operation_disabled" : "open";
}

/** What the manager's test path answers: switched off is no hindrance there. */
export function judgeManager(
  world: ModelWorld,
  user: ModelUser,
  row: ModelRow | null,
  operationKey: string,
): Verdict {
  const operation = findModelOperation(world, row, operationKey);
  if (row === null || operation === null || !sees(user, row)) return "not_found";
  return operation.adminOnly && user.role !== "admin" ? "not_found" : "open";
}

function findModelOperation(world: ModelWorld, row: ModelRow | null, operationKey: string) {
  const operations = row === null ? undefined : world.registered.get(row.connector);
  if (operations === undefined || !Object.hasOwn(operations, operationKey)) return null;
  return operations[operationKey] ?? null;
}

function sees(user: ModelUser, row: ModelRow): boolean {
  if (user.role === "admin" || row.tags.includes("everyone")) return true;
  return row.tags.some((tag) => user.tags.includes(tag));
}
