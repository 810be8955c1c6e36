/** A limit on what the requests of one owner, such as a user, may cost. */
export type BudgetSpec = {
  /** Each budget is a setting of this name. */
  setting: string;
  /**
   * `owner`: the running requests of an owner share it. `sender`: so do the bodies of a user's or a network's requests.
   * `hour`: it refills evenly in an hour.
   */
  scope: "owner" | "sender" | "hour";
  unit: string;
  default: number;
  min: number;
  max: number;
};

/**
 * All budgets. An honest day of 1,000 calls needs less than a tenth of those of running requests.
 * `docs/reference/budgets.md` shows this table.
 */
export const budgetTable = {
  secretChars: {
    setting: "HUB_BUDGET_SECRET_CHARS",
    scope: "owner",
    unit: "characters",
    default: 2_000_000,
    min: 100_000,
    max: 100_000_000,
  },
  memoryBytes: {
    setting: "HUB_BUDGET_MEMORY_BYTES",
    scope: "owner",
    unit: "bytes",
    default: 256 * 1024 * 1024,
    min: 64 * 1024 * 1024,
    max: 64 * 1024 * 1024 * 1024,
  },
  /** Of messages, calls of the API and webhooks. Counted by `http/bodies/incoming-bodies.ts`. */
  bodyBytes: {
    setting: "HUB_BUDGET_BODY_BYTES",
    scope: "sender",
    unit: "bytes",
    default: 64 * 1024 * 1024,
    min: 16 * 1024 * 1024,
    max: 16 * 1024 * 1024 * 1024,
  },
  /** Of a user at a row whose secret can be guessed. Counted by `operations/guesses/`. */
  guesses: {
    setting: "HUB_BUDGET_GUESSES",
    scope: "hour",
    unit: "words",
    default: 10_000,
    min: 1_000,
    max: 1_000_000_000,
  },
} as const satisfies Record<string, BudgetSpec>;

/** What a request counts itself. */
export type BudgetName = Exclude<keyof typeof budgetTable, "bodyBytes" | "guesses">;

/** The limits in force. */
export type BudgetLimits = Readonly<Record<BudgetName, number>>;

/** The limits of a hub without settings of its own. */
export const defaultBudgetLimits: BudgetLimits = {
  secretChars: budgetTable.secretChars.default,
  memoryBytes: budgetTable.memoryBytes.default,
};
