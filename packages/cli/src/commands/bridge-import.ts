import type { Command } from "commander";
import { readServersFile, type ServerEntry } from "../bridge-import/read-servers-file.ts";
import { type ImportedRow, type Skipped, toRow } from "../bridge-import/to-row.ts";
import type { Cli } from "../cli.ts";
import { readDocumentFile } from "../document-file.ts";
import { collect } from "../pairs.ts";
import { toPrintable, toTable } from "../table.ts";
import { isInteractive, type Terminal } from "../terminal.ts";
import { toCancelled, toUsageError } from "../usage-error.ts";

type ImportOptions = { tag?: string[]; yes?: true; dryRun?: true };

type Added = { id: string; label: string; needs: string[] };

export function defineBridgeImport(bridge: Command, cli: Cli): void {
  bridge
    .command("import")
    .argument("<file>", "a client's file, such as claude_desktop_config.json; - is standard input")
    .description(
      "make rows of the MCP servers in a client's file; shows each command and asks first",
    )
    .option("--tag <tag>", "users with this tag see the rows; may be repeated", collect)
    .option("--dry-run", "show what would be made, and make nothing")
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      `
Reads the files of Claude Desktop, Claude Code, Cursor, VS Code and Codex. Values of env and headers
become secrets of the rows. A server that starts a program runs it on the hub's machine.

Example:
  $ ${cli.name} bridge import ~/.cursor/mcp.json --tag support --dry-run`,
    )
    .action((file: string, options: ImportOptions, command: Command) =>
      cli.answer(command, async ({ services, actor, config }) => {
        const { findRowIdsByLabel } = await import("@hub/server/store/lookups.ts");
        const { mayStartPrograms } = await import("@hub/server/compose/open-bridges.ts");
        const { addRow } = await import("@hub/server/services/rows/rows.ts");
        const entries = readServersFile(file, await readDocumentFile(cli.terminal, file));
        const { rows, skipped } = await sort(entries, {
          isLabelUsed: async (label) =>
            (await findRowIdsByLabel(services.store.db, label)).length > 0,
          mayStartPrograms: mayStartPrograms(config),
        });
        const shown = rows.map(({ values: _values, ...row }) => row);
        if (options.dryRun || rows.length === 0) {
          return { json: { rows: shown, skipped }, text: toPlanText(rows, skipped) };
        }
        await confirmRows(cli.terminal, rows, options.yes === true);
        const added: Added[] = [];
        for (const { label, values } of rows) {
          const row = { connector: "mcp", label, tags: options.tag ?? [], values };
          try {
            const { id, missing } = await addRow(services, actor, row);
            added.push({ id, label, needs: missing ?? [] });
          } catch (thrown) {
            // One bad value does not keep the other servers out.
            if (!isRefused(thrown)) throw thrown;
            skipped.push({ label, reason: thrown.message });
          }
        }
        return {
          json: { added, rows: shown, skipped },
          text: `${toPlanText(rows, skipped)}\n\n${toAddedText(added)}`,
          note: `Find the operations of each row with: ${cli.name} bridge discover LABEL`,
        };
      }),
    );
}

type SortRules = { isLabelUsed(label: string): Promise<boolean>; mayStartPrograms: boolean };

async function sort(entries: readonly ServerEntry[], rules: SortRules) {
  const rows: ImportedRow[] = [];
  const skipped: Skipped[] = [];
  for (const entry of entries) {
    const row = toRow(entry);
    if ("reason" in row) {
      skipped.push(row);
    } else if (await rules.isLabelUsed(row.label)) {
      skipped.push({ label: row.label, reason: "There is a row with this label." });
    } else if (row.startsProgram && !rules.mayStartPrograms) {
      const reason = "It starts a program, which this hub does not allow (HUB_BRIDGE_STDIO).";
      skipped.push({ label: row.label, reason });
    } else {
      rows.push(row);
    }
  }
  return { rows, skipped };
}

async function confirmRows(
  terminal: Terminal,
  rows: readonly ImportedRow[],
  isConfirmed: boolean,
): Promise<void> {
  if (isConfirmed) return;
  const text = toRowsText(rows);
  if (!isInteractive(terminal)) {
    terminal.stderr.write(`${text}\n`);
    throw toUsageError("If these rows are intended, add --yes.");
  }
  const { confirm } = await import("@clack/prompts");
  const { stdin: input, stderr: output } = terminal;
  output.write(`${text}\n`);
  const programs = rows.filter(({ startsProgram }) => startsProgram).length;
  const message =
    programs === 0 ? "Make these rows?" : `Make these rows, and let ${programs} start programs?`;
  if ((await confirm({ message, input, output, initialValue: false })) !== true) {
    throw toCancelled();
  }
}

function isRefused(thrown: unknown): thrown is Error {
  return thrown instanceof Error && thrown.name === "HubError" && "code" in thrown;
}

function toPlanText(rows: readonly ImportedRow[], skipped: readonly Skipped[]): string {
  const parts = [
    rows.length === 0 ? "There is nothing to import." : toRowsText(rows),
    ...(skipped.length === 0 ? [] : [toSkippedText(skipped)]),
  ];
  return parts.join("\n\n");
}

function toRowsText(rows: readonly ImportedRow[]): string {
  return rows
    .map(({ label, target, startsProgram, secrets, missing }) =>
      [
        toPrintable(label),
        `  ${startsProgram ? "starts" : "connects to"}: ${toPrintable(target)}`,
        ...(secrets.length === 0 ? [] : [`  secrets: ${toPrintable(secrets.join(", "))}`]),
        ...(missing.length === 0 ? [] : [`  missing: ${toPrintable(missing.join(", "))}`]),
      ].join("\n"),
    )
    .join("\n");
}

function toSkippedText(skipped: readonly Skipped[]): string {
  return toTable(
    skipped,
    [
      ["skipped", ({ label }) => label],
      ["reason", ({ reason }) => reason],
    ],
    "",
  );
}

function toAddedText(added: readonly Added[]): string {
  return toTable(
    added,
    [
      ["row", ({ id }) => id],
      ["label", ({ label }) => label],
      ["needs", ({ needs }) => needs.join(", ")],
    ],
    "No rows were made.",
  );
}
