import { suggest } from "@hub/connector";
import type { DiscoveryReport, ReviewedOperation } from "@hub/contract/row-discovery.ts";
import type { Cli } from "../cli.ts";
import { answeringCommand, command, group } from "../declare/command.ts";
import { argument, flag, option, wholeNumber } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { readDocumentFile } from "../input/read-document-file.ts";
import { callAsLocalAdmin } from "../look-ups/call-as-local-admin.ts";
import { checkNamedOrAll } from "../operations/check-named-or-all.ts";
import {
  toDiscoveryText,
  toLeftOutTable,
  toReviewTable,
  toReviewText,
} from "../operations/review-text.ts";
import { typedRowArgument } from "../rows/row-argument.ts";
import { toFacts } from "../text/table.ts";
import { bridgeConnect, bridgeDisconnect } from "./bridge-connect.ts";
import { bridgeImport } from "./bridge-import.ts";

const loadReviews = () => import("@hub/server/services/rows/discovery/review-operations.ts");

/** A row has fewer operations. One read, so that all are of the same discovery. */
const allOperations = { limit: 100_000 };

const row = typedRowArgument;

const takesDocument = {
  row,
  document: option(
    "<file>",
    "read this document, not the one at the row's address; - is standard input",
  ),
};

const discover = command(
  "discover",
  "ask a row's outside system for its operations; new and changed ones wait for a review",
  {
    takes: takesDocument,
    async does({ services, actor, lookups }, typed, cli) {
      const { discoverRow } = await import("@hub/server/services/rows/discovery/discover-row.ts");
      const id = await lookups.findRowId(typed.row);
      const document = await readDocument(cli, typed.document);
      return await callAsLocalAdmin(cli, (ctx) =>
        discoverRow(services, actor, ctx, id, { document }),
      );
    },
    shows: toReportText,
    note: ({ waiting }, { row: name }, cli) =>
      waiting === 0
        ? null
        : `Operations wait for a review. See them with: ${cli.name} bridge review "${name}"`,
  },
);

const toServerTable = table<{ url: string; address: string | null; shared: boolean }>(
  [
    ["server", "url"],
    ["address", ({ address }) => address ?? "not a whole address"],
    ["for", ({ shared }) => (shared ? "all operations" : "some operations")],
  ],
  "The document names no servers.",
);

const servers = command(
  "servers",
  "list the servers that the document of a row names; calls use none by itself",
  {
    takes: takesDocument,
    async does({ services, lookups }, typed, cli) {
      const { findDocumentServers } = await import(
        "@hub/server/services/rows/discovery/find-document-servers.ts"
      );
      const id = await lookups.findRowId(typed.row);
      const document = await readDocument(cli, typed.document);
      const found = await callAsLocalAdmin(cli, (ctx) =>
        findDocumentServers(services, ctx, id, { document }),
      );
      return { servers: found.servers };
    },
    shows: (found) => toServerTable(found.servers),
    note: (found, { row: name }, cli) =>
      found.servers.length === 0
        ? null
        : `Use one with: ${cli.name} row set "${name}" --set base_url=ADDRESS`,
  },
);

const review = command(
  "review",
  "show the operations that wait for a review, and the differences of changed ones",
  {
    takes: {
      row,
      keys: argument("[operation...]", "keys of operations to show with their whole schemas"),
    },
    async does({ services, lookups }, { row: name, keys }) {
      const { showReview } = await loadReviews();
      const id = await lookups.findRowId(name);
      const { next_offset: _next, ...shown } = await showReview(services, id, allOperations);
      const reviewed = keys.length > 0 ? choose(shown.reviewed, keys) : shown.reviewed;
      return { ...shown, reviewed };
    },
    shows(shown, { keys }) {
      const isWhole = keys.length > 0;
      const facts = isWhole ? [] : [toDiscoveryText(shown)];
      const text = [...facts, toReviewText(shown.reviewed, { isWhole })];
      return text.filter((part) => part !== "").join("\n\n");
    },
    note: ({ waiting }, { row: name }, cli) =>
      waiting === 0
        ? null
        : `Approve them with: ${cli.name} bridge approve "${name}" OPERATION… or --all`,
  },
);

const leftOut = command("left-out", "list what the last discovery left out, with the reasons", {
  takes: {
    row,
    limit: wholeNumber("<number>", "maximum number of entries (default: 100)"),
    after: wholeNumber("<number>", "go on where the list before ended"),
  },
  async does({ services, lookups }, { row: name, ...page }) {
    const { listLeftOut } = await import("@hub/server/services/rows/discovery/list-left-out.ts");
    return await listLeftOut(services, await lookups.findRowId(name), page);
  },
  shows: ({ left_out_total: total, left_out: entries }) =>
    `${toFacts([["left out", total]])}\n\n${toLeftOutTable(entries)}`,
  note: ({ next }, { row: name }, cli) =>
    next === null ? null : `Go on with: ${cli.name} bridge left-out "${name}" --after ${next}`,
});

const approve = answeringCommand(
  "approve",
  "approve operations as a review shows them now; then they can be called",
  {
    takes: {
      row,
      keys: argument("[operation...]", "keys of operations"),
      all: flag("approve all that wait"),
      reads: flag("also mark them as operations that only read"),
    },
    async answers({ services, actor, lookups }, { row: name, keys, all, reads }, cli) {
      checkNamedOrAll(keys, all, "approve");
      if (all && reads) {
        throw toUsageError(
          `--reads marks operations that you name. After --all, run \`${cli.name} op reads ROW --all\`, which marks those that change nothing.`,
        );
      }
      const { approveAllOperations, approveOperations, showReview } = await loadReviews();
      const id = await lookups.findRowId(name);
      const { stamp, reviewed } = await showReview(services, id, {
        ...allOperations,
        withoutHidden: all,
      });
      const waiting = reviewed.filter((one) => one.review === "new" || one.review === "changed");
      const chosen = all ? waiting : choose(waiting, keys);
      const operations = chosen.map(({ key, digest }) => ({ key, digest, reads }));
      const state =
        all && stamp !== null
          ? await approveAllOperations(services, actor, id, { stamp })
          : await approveOperations(services, actor, id, { operations });
      const none = `No operation of "${name}" waits for a review.`;
      return {
        json: { ...state, approved: chosen.map(({ key }) => key) },
        text: chosen.length === 0 ? none : `Approved:\n\n${toReviewTable(chosen)}`,
      };
    },
  },
);

export const define = group(
  {
    about: `Rows of connectors such as openapi and mcp bring their own operations. They can be called once an
admin has approved them.`,
    examples: [
      `row add openapi --label Tracker --set document_url=https://api.example.com/openapi.json \\
      --set base_url=https://api.example.com`,
      "bridge discover Tracker",
      "bridge review Tracker",
      "bridge approve Tracker list_issues",
    ],
  },
  [discover, servers, review, leftOut, approve, bridgeConnect, bridgeDisconnect, bridgeImport],
);

async function readDocument({ terminal }: Cli, file: string | undefined) {
  return file === undefined ? undefined : await readDocumentFile(terminal, file);
}

/** Throws if one of the operations does not wait. */
function choose(
  reviewed: readonly ReviewedOperation[],
  keys: readonly string[],
): ReviewedOperation[] {
  const byKey = new Map(reviewed.map((one) => [one.key, one]));
  return [...new Set(keys)].map((key) => {
    const found = byKey.get(key);
    if (found !== undefined) return found;
    const hint = suggest(key, [...byKey.keys()]);
    throw toUsageError(`No operation "${key}" of the row waits for a review.${hint}`);
  });
}

function toReportText(report: DiscoveryReport): string {
  const named = (["added", "changed", "gone"] as const)
    .filter((kind) => report[kind].length > 0)
    .map((kind) => `${kind}: ${report[kind].join(", ")}`);
  return [toDiscoveryText(report), ...named].join("\n\n");
}
