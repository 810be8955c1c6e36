import { type ReviewFilter, reviewFilters } from "@hub/contract/review-filters.ts";

export const rowTabs = [
  "settings",
  "operations",
  "test",
  "widgets",
  "history",
  "access",
  "rules",
] as const;
export type RowTab = (typeof rowTabs)[number];

/** What the address of a row's page says. */
export type RowSearch = {
  tab?: RowTab;
  /** Key of the operation in the test panel. */
  op?: string;
  /** Id of the call whose params fill the test panel. */
  prefill?: string;
  /** Params that fill the test panel. They are only sent by Call. */
  params?: Readonly<Record<string, unknown>>;
  /** The kind of operations that the review shows; all by default. */
  show?: ReviewFilter | "hidden";
};

/** Reads the address. With `op` alone it opens the test panel. */
export function readRowSearch(given: Record<string, unknown>): RowSearch {
  const tab = rowTabs.find((name) => name === given.tab);
  const op = toText(given.op);
  const prefill = toText(given.prefill);
  const params = toRecord(given.params);
  const show = ([...reviewFilters, "hidden"] as const).find((name) => name === given.show);
  return {
    ...(tab !== undefined && { tab }),
    ...(op !== undefined && { op }),
    ...(prefill !== undefined && { prefill }),
    ...(params !== undefined && { params }),
    ...(show !== undefined && { show }),
  };
}

/** What a user may do with a row. */
type RowRights = {
  isAdmin: boolean;
  mayTest: boolean;
  /** Whether the settings have html widgets that the user may use. */
  hasWidgets: boolean;
};

/** The tabs that a user has. An admin has the widgets among the settings. */
export function listTabs({ isAdmin, mayTest, hasWidgets }: RowRights): readonly RowTab[] {
  if (isAdmin) return rowTabs.filter((tab) => tab !== "widgets");
  if (!mayTest) return ["operations", "history"];
  return ["operations", "test", ...(hasWidgets ? ["widgets" as const] : []), "history"];
}

export function findTab({ tab, op }: RowSearch, rights: RowRights): RowTab {
  const shown = listTabs(rights);
  const wanted = tab ?? (op === undefined ? shown[0] : "test");
  return shown.find((one) => one === wanted) ?? "operations";
}

function toRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return { ...value };
}

function toText(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
