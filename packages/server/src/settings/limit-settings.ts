import { type BudgetSpec, budgetTable } from "../lib/budgets/budget-table.ts";
import { limit, type Settings, wholeNumber } from "./setting.ts";

/** Less than the largest event would refuse that event for ever. */
const runBytesMin = 64 * 1024 ** 2;

/** How much is kept, called and held at once. */
export const limitSettings = {
  resultBytesMax: {
    schema: wholeNumber(1024, 1024 ** 3).default(1024 ** 2),
    description: "maximum size of an operation's result in bytes; larger results are cut",
    expects: "a whole number from 1024 to 1073741824",
    fallback: "1048576",
    isLive: true,
  },
  auditRetentionDays: {
    schema: wholeNumber(1, 36_500).default(7),
    description: "days for which recorded calls are kept",
    expects: "a whole number from 1 to 36500",
    fallback: "7",
    isLive: true,
  },
  diskFreeBytesMin: {
    schema: wholeNumber(0, 10 ** 12).default(64 * 1024 ** 2),
    description:
      "free space on the disk of the data folder, in bytes, below which new work is refused; 0 is no limit",
    expects: "a whole number from 0 to 1000000000000",
    fallback: "67108864",
  },
  auditBytesMax: {
    schema: wholeNumber(0, 10 ** 12).default(0),
    description: "maximum disk space of recorded calls in bytes; 0 is no limit",
    expects: "a whole number from 0 to 1000000000000",
    fallback: "0",
    isLive: true,
  },
  changesPerDay: {
    schema: wholeNumber(0, 10 ** 9).default(100_000),
    description:
      "maximum forms and API requests other than GET of one user in a day; 0 is no limit",
    expects: "a whole number from 0 to 1000000000",
    fallback: "100000",
  },
  auditUserBytesPerDay: {
    schema: limit(2 ** 20, 10 ** 12).default(1024 ** 3),
    description:
      "maximum bytes of requests and results that the records of a user's calls store in a day; 0 is no limit",
    expects: "0, or a whole number from 1048576 to 1000000000000",
    fallback: "1073741824",
  },
  workflowRetentionDays: {
    schema: wholeNumber(1, 36_500).default(30),
    description: "days for which ended runs of workflows are kept",
    expects: "a whole number from 1 to 36500",
    fallback: "30",
    isLive: true,
  },
  workflowRequestsPerMinute: {
    schema: wholeNumber(0, 1_000_000).default(600),
    description: "webhook requests of one workflow per minute; 0 means no limit",
    expects: "a whole number from 0 to 1000000",
    fallback: "600",
  },
  workflowBytesPerDay: {
    schema: limit(runBytesMin, 10 ** 14).default(4 * 1024 ** 3),
    description: "maximum bytes that the runs of one workflow store in a day; 0 is no limit",
    expects: "0, or a whole number from 67108864",
    fallback: "4294967296",
  },
  userCallsPerMinute: callLimit("calls of one user per minute", 600),
  userCallsAtOnce: callLimit("concurrent calls of one user", 32),
  rowCallsPerMinute: callLimit("calls to one row per minute", 0),
  rowCallsAtOnce: callLimit("concurrent calls to one row", 0),
  budgetSecretChars: budget(
    "maximum characters of secret values that one user's running requests hold",
    budgetTable.secretChars,
  ),
  budgetMemoryBytes: budget(
    "maximum memory that the running large calls of one user hold, in bytes",
    budgetTable.memoryBytes,
  ),
  budgetBodyBytes: budget(
    "maximum bytes of one sender's bodies that arrive or are being answered",
    budgetTable.bodyBytes,
  ),
  budgetGuesses: budget(
    "maximum words that one user may send to a row whose secret can be guessed, per hour",
    budgetTable.guesses,
  ),
} as const satisfies Settings;

/** 0 is no limit. */
function callLimit(what: string, fallback: number) {
  return {
    schema: wholeNumber(0, 1_000_000).default(fallback),
    description: `maximum ${what}; 0 is no limit`,
    expects: "a whole number from 0 to 1000000",
    fallback: String(fallback),
    isLive: true,
  } as const;
}

function budget(description: string, { min, max, default: fallback }: BudgetSpec) {
  return {
    schema: wholeNumber(min, max).default(fallback),
    description,
    expects: `a whole number from ${min} to ${max}`,
    fallback: String(fallback),
  };
}
