import { suggest } from "@hub/connector";
import type { DiscoveryReport, ReviewedOperation } from "@hub/contract/row-discovery.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { toWholeNumber } from "../input/option-values.ts";
import { readDocumentFile } from "../input/read-document-file.ts";
import { callAsLocalAdmin } from "../look-ups/call-as-local-admin.ts";
import { checkNamedOrAll } from "../operations/check-named-or-all.ts";
import {
  toDiscoveryText,
  toLeftOutTable,
  toReviewTable,
  toReviewText,
} from "../operations/review-text.ts";
import { rowArgument } from "../rows/row-argument.ts";
import { toFacts, toTable } from "../text/table.ts";
import { defineBridgeConnect } from "./bridge-connect.ts";
import { defineBridgeImport } from "./bridge-import.ts";

const loadReviews = () => import("@hub/server/services/rows/discovery/review-operations.ts");

type ApproveOptions = { all?: true; reads?: true };

/** A row has fewer operations. One read, so that all are of the same discovery. */
const allOperations = { limit: 100_000 };

export function define(bridge: Command, cli: Cli): void {
  bridge.addHelpText(
    "after",
    `
Rows of connectors such as openapi and mcp bring their own operations. They can be called once an
admin has approved them.

Examples:
  $ ${cli.name} row add openapi --label Tracker --set document_url=https://api.example.com/openapi.json \\
      --set base_url=https://api.example.com
  $ ${cli.name} bridge discover Tracker
  $ ${cli.name} bridge review Tracker
  $ ${cli.name} bridge approve Tracker list_issues`,
  );

  bridge
    .command("discover")
    .argument(...rowArgument)
    .description(
      "ask a row's outside system for its operations; new and changed ones wait for a review",
    )
    .option(
      "--document <file>",
      "read this document, not the one at the row's address; - is standard input",
    )
    .action((name: string, { document: file }: { document?: string }, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { discoverRow } = await import("@hub/server/services/rows/discovery/discover-row.ts");
        const id = await lookups.findRowId(name);
        const document =
          file === undefined ? undefined : await readDocumentFile(cli.terminal, file);
        const report = await callAsLocalAdmin(cli, (ctx) =>
          discoverRow(services, actor, ctx, id, { document }),
        );
        return {
          json: report,
          text: toReportText(report),
          ...(report.waiting > 0 && {
            note: `Operations wait for a review. See them with: ${cli.name} bridge review "${name}"`,
          }),
        };
      }),
    );

  bridge
    .command("servers")
    .argument(...rowArgument)
    .description("list the servers that the document of a row names; calls use none by itself")
    .option(
      "--document <file>",
      "read this document, not the one at the row's address; - is standard input",
    )
    .action((name: string, { document: file }: { document?: string }, command: Command) =>
      cli.answer(command, async ({ services, lookups }) => {
        const { findDocumentServers } = await import(
          "@hub/server/services/rows/discovery/find-document-servers.ts"
        );
        const id = await lookups.findRowId(name);
        const document =
          file === undefined ? undefined : await readDocumentFile(cli.terminal, file);
        const { servers } = await callAsLocalAdmin(cli, (ctx) =>
          findDocumentServers(services, ctx, id, { document }),
        );
        return {
          json: { servers },
          text: toTable(
            servers,
            [
              ["server", ({ url }) => url],
              ["address", ({ address }) => address ?? "not a whole address"],
              ["for", ({ shared }) => (shared ? "all operations" : "some operations")],
            ],
            "The document names no servers.",
          ),
          ...(servers.length > 0 && {
            note: `Use one with: ${cli.name} row set "${name}" --set base_url=ADDRESS`,
          }),
        };
      }),
    );

  bridge
    .command("review")
    .argument(...rowArgument)
    .argument("[operation...]", "keys of operations to show with their whole schemas")
    .description("show the operations that wait for a review, and the differences of changed ones")
    .action((name: string, keys: string[], _: unknown, command: Command) =>
      cli.answer(command, async ({ services, lookups }) => {
        const { showReview } = await loadReviews();
        const id = await lookups.findRowId(name);
        const { next_offset: _next, ...shown } = await showReview(services, id, allOperations);
        const isWhole = keys.length > 0;
        const reviewed = isWhole ? choose(shown.reviewed, keys) : shown.reviewed;
        const facts = isWhole ? [] : [toDiscoveryText(shown)];
        const text = [...facts, toReviewText(reviewed, { isWhole })].filter((part) => part !== "");
        return {
          json: { ...shown, reviewed },
          text: text.join("\n\n"),
          ...(shown.waiting > 0 && {
            note: `Approve them with: ${cli.name} bridge approve "${name}" OPERATION… or --all`,
          }),
        };
      }),
    );

  bridge
    .command("left-out")
    .argument(...rowArgument)
    .description("list what the last discovery left out, with the reasons")
    .option("--limit <number>", "maximum number of entries (default: 100)", toWholeNumber)
    .option("--after <number>", "go on where the list before ended", toWholeNumber)
    .action((name: string, page: { limit?: number; after?: number }, command: Command) =>
      cli.answer(command, async ({ services, lookups }) => {
        const { listLeftOut } = await import(
          "@hub/server/services/rows/discovery/list-left-out.ts"
        );
        const shown = await listLeftOut(services, await lookups.findRowId(name), page);
        const { left_out_total: total, next } = shown;
        return {
          json: shown,
          text: `${toFacts([["left out", total]])}\n\n${toLeftOutTable(shown.left_out)}`,
          ...(next !== null && {
            note: `Go on with: ${cli.name} bridge left-out "${name}" --after ${next}`,
          }),
        };
      }),
    );

  bridge
    .command("approve")
    .argument(...rowArgument)
    .argument("[operation...]", "keys of operations")
    .description("approve operations as a review shows them now; then they can be called")
    .option("--all", "approve all that wait")
    .option("--reads", "also mark them as operations that only read")
    .action((name: string, keys: string[], { all, reads }: ApproveOptions, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        checkNamedOrAll(keys, all, "approve");
        if (all && reads) {
          throw toUsageError(
            `--reads marks operations that you name. After --all, run \`${cli.name} op reads ROW --all\`, which marks those that change nothing.`,
          );
        }
        const { approveAllOperations, approveOperations, showReview } = await loadReviews();
        const id = await lookups.findRowId(name);
        const { stamp, reviewed } = await showReview(services, id, allOperations);
        const waiting = reviewed.filter(({ review }) => review === "new" || review === "changed");
        const chosen = all ? waiting : choose(waiting, keys);
        const approve = async () =>
          all && stamp !== null
            ? await approveAllOperations(services, actor, id, { stamp })
            : await approveOperations(services, actor, id, {
                operations: chosen.map(({ key, digest }) => ({ key, digest, reads })),
              });
        const state = await approve();
        return {
          json: { ...state, approved: chosen.map(({ key }) => key) },
          text:
            chosen.length === 0
              ? `No operation of "${name}" waits for a review.`
              : `Approved:\n\n${toReviewTable(chosen)}`,
        };
      }),
    );

  defineBridgeConnect(bridge, cli);
  defineBridgeImport(bridge, cli);
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
