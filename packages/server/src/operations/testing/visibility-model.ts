/**
 * A model of who may see and run what, by sections 6 and 9 of the design. It shares no code with
 * the hub, so that the same fault cannot be in both.
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
  tests: "admins" | "tag";
  /** Operations that an admin enabled or disabled. */
  states: Record<string, boolean>;
};

export type ModelOperation = { configOnly: boolean; adminOnly: boolean };

export type ModelWorld = {
  /** Operations of the registered connectors, by connector key. */
  registered: Map<string, Record<string, ModelOperation>>;
  disabledTypes: Set<string>;
};

/** The expected result of a call, before its params are checked. */
export type Verdict =
  | "open"
  | "not_found"
  | "forbidden"
  | "connector_disabled"
  | "operation_disabled";

/** Only active users may use the hub. */
export function mayEnter(user: ModelUser): boolean {
  return user.status === "active";
}

/** The expected result for a client. `row` is null if the row does not exist. */
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

/**
 * The expected result of a test. That of an admin also reaches disabled targets, maintenance and widgets; others test
 * what clients can call, and through a widget also what is behind widgets.
 */
export function judgeTest(
  world: ModelWorld,
  user: ModelUser,
  row: ModelRow | null,
  { operationKey, isWidget }: { operationKey: string; isWidget: boolean },
): Verdict {
  const operation = findModelOperation(world, row, operationKey);
  if (row === null || operation === null || !sees(user, row)) return "not_found";
  if (user.role === "admin") return "open";
  if (operation.adminOnly || (operation.configOnly && !isWidget)) return "not_found";
  if (row.tests !== "tag") return "forbidden";
  if (row.disabled || world.disabledTypes.has(row.connector)) return "connector_disabled";
  return row.states[operationKey] === false ? "operation_disabled" : "open";
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
