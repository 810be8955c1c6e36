import { HubError } from "../../errors.ts";
import { type BudgetLimits, type BudgetName, budgetTable } from "./budget-table.ts";

/**
 * What one request may cost. Code that works on data of the caller's size charges it here, before the
 * work or while it goes on. All methods that throw throw `invalid_params` if the request alone costs too
 * much, and `rate_limited` if the requests of its owner together do; `detail.budget` names the budget.
 */
export type Budget = {
  /** Counts characters of secrets, for which every answer of the request is searched. */
  addSecretChars(chars: number): void;
  /** Counts memory until `close`, by what it costs the hub, which is more than its text. */
  holdBytes(bytes: number): void;
  /** Ends the request. What it held is free again. Calls after that count nothing. */
  close(): void;
};

export type Budgets = {
  /** Begins a request of this owner, such as `user:` and an id. */
  open(owner: string): Budget;
  /** What the running requests of an owner hold. */
  read(owner: string): { secretChars: number; memoryBytes: number };
};

/** Requests that hold much end soon, or when their client leaves. */
const retryAfterS = 5;

type Held = { requests: number; secretChars: number; memoryBytes: number };

export function createBudgets({ limits }: { limits: BudgetLimits }): Budgets {
  /** Owners with running requests. */
  const owners = new Map<string, Held>();

  function open(owner: string): Budget {
    const held = owners.get(owner) ?? { requests: 0, secretChars: 0, memoryBytes: 0 };
    held.requests += 1;
    owners.set(owner, held);
    const own = { secretChars: 0, memoryBytes: 0 };
    let isClosed = false;

    function hold(name: "secretChars" | "memoryBytes", amount: number): void {
      if (isClosed) return;
      if (own[name] + amount > limits[name]) throw refuseRequest(name, limits[name]);
      if (held[name] + amount > limits[name]) throw refuseOwner(name, limits[name]);
      own[name] += amount;
      held[name] += amount;
    }

    return {
      addSecretChars: (chars) => hold("secretChars", chars),
      holdBytes: (bytes) => hold("memoryBytes", bytes),
      close() {
        if (isClosed) return;
        isClosed = true;
        held.secretChars -= own.secretChars;
        held.memoryBytes -= own.memoryBytes;
        held.requests -= 1;
        if (held.requests === 0) owners.delete(owner);
      },
    };
  }

  return {
    open,
    read(owner) {
      const { secretChars, memoryBytes } = owners.get(owner) ?? { secretChars: 0, memoryBytes: 0 };
      return { secretChars, memoryBytes };
    },
  };
}

/** Completes "This request …" and "Your running requests …". */
const costs: Record<BudgetName, string> = {
  secretChars: "characters of secret values",
  memoryBytes: "bytes of memory",
};

function refuseRequest(name: BudgetName, limit: number): HubError {
  return new HubError(
    "invalid_params",
    `This request needs more than ${limit} ${costs[name]}. Send less data at a time.`,
    { detail: { budget: name, limit } },
  );
}

function refuseOwner(name: BudgetName, limit: number): HubError {
  return new HubError(
    "rate_limited",
    `Your running requests together need more than ${limit} ${costs[name]} (${budgetTable[name].setting}). Try again in ${retryAfterS} s.`,
    { detail: { budget: name, limit, retry_after_s: retryAfterS } },
  );
}
