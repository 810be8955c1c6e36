import { InvalidInputError } from "@hub/connector";

export const pageSize = 20;

/** The systems of the company, with a row each. Nothing that is written changes what is read. */
export const systemLabels: Readonly<Record<string, string>> = {
  tracker: "Issue tracker",
  crm: "Customers",
  shop: "Web shop",
  stock: "Warehouses",
  people: "Staff directory",
  calendar: "Team calendar",
  status: "Operations board",
  logs_store: "Application logs",
  billing: "Invoicing",
};

/** What the sources of all systems have. */
export function toSystem(key: string, description: string) {
  return {
    key,
    name: systemLabels[key] ?? key,
    icon: "plug",
    tier: "builtin" as const,
    description,
    config: {},
  };
}

export function toRead(name: string, description: string) {
  return { name, description, reads: true };
}

/** An operation that says what it would change, and changes nothing. */
export function toWrite(name: string, description: string) {
  return { name, description, destructive: true };
}

export function fits(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === "" || wanted === value;
}

/** The item whose `key` has this value. Throws `InvalidInputError` with `what` if there is none. */
export function findBy<Item, Key extends keyof Item>(
  items: readonly Item[],
  key: Key,
  value: Item[Key],
  what: string,
): Item {
  const found = items.find((item) => item[key] === value);
  if (found === undefined) throw new InvalidInputError(what, "does not exist");
  return found;
}

export function toPage<Item>(items: readonly Item[], page: number) {
  const start = (page - 1) * pageSize;
  return { total: items.length, page, items: items.slice(start, start + pageSize) };
}
