import type { ImportedRow, Skipped } from "@hub/server/services/rows/imports/to-row.ts";
import { answeringCommand } from "../declare/command.ts";
import { argument, flag, repeated } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { toCancelled, toUsageError } from "../errors/usage-error.ts";
import { readDocumentFile } from "../input/read-document-file.ts";
import { isInteractive, type Terminal } from "../process/terminal.ts";
import { toPrintable } from "../text/table.ts";

type Added = { id: string; label: string; needs: string[] };

export const bridgeImport = answeringCommand(
  "import",
  "make rows of the MCP servers in a client's file; shows each command and asks first",
  {
    takes: {
      file: argument(
        "<file>",
        "a client's file, such as claude_desktop_config.json; - is standard input",
      ),
      tag: repeated("<tag>", "users with this tag see the rows; may be repeated"),
      dryRun: flag("show what would be made, and make nothing"),
      yes: flag("do not ask"),
    },
    help: {
      about: `Reads the files of Claude Desktop, Claude Code, Cursor, VS Code, Codex, Gemini CLI, opencode and Zed.
Values of env and headers become secrets of the rows. A server that starts a program runs it on the hub's machine.`,
      examples: ["bridge import ~/.cursor/mcp.json --tag support --dry-run"],
    },
    async answers({ services, actor, config }, { file, tag: tags = [], dryRun, yes }, cli) {
      const { planRows } = await import("@hub/server/services/rows/imports/plan-import.ts");
      const { importServers } = await import("@hub/server/services/rows/imports/import-servers.ts");
      const given = { file, text: await readDocumentFile(cli.terminal, file) };
      const planned = await planRows({ ...services, config }, given);
      const rows = planned.flatMap(({ row }) => row ?? []);
      const skipped = planned.flatMap(({ shown: { label, problem: reason } }) =>
        reason === null ? [] : [{ label, reason }],
      );
      const shown = rows.map(({ values: _values, transport: _transport, ...row }) => row);
      if (dryRun || rows.length === 0) {
        return { json: { rows: shown, skipped }, text: toPlanText(rows, skipped) };
      }
      await confirmRows(cli.terminal, rows, yes === true);
      const servers = planned.flatMap(({ row, shown: { index } }) => (row === null ? [] : index));
      const input = { ...given, servers, tags };
      const { added, failed } = await importServers({ ...services, config }, actor, input);
      const made = added.map(({ id, label, missing: needs }) => ({ id, label, needs }));
      for (const { label, reason } of failed) skipped.push({ label, reason });
      return {
        json: { added: made, rows: shown, skipped },
        text: `${toPlanText(rows, skipped)}\n\n${toAddedTable(made)}`,
        note: `Find the operations of each row with: ${cli.name} bridge discover LABEL`,
      };
    },
  },
);

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

function toPlanText(rows: readonly ImportedRow[], skipped: readonly Skipped[]): string {
  const parts = [
    rows.length === 0 ? "There is nothing to import." : toRowsText(rows),
    ...(skipped.length === 0 ? [] : [toSkippedTable(skipped)]),
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

const toSkippedTable = table<Skipped>([["skipped", "label"], "reason"], "");

const toAddedTable = table<Added>([["row", "id"], "label", "needs"], "No rows were made.");
