import type { DoctorReport, Setting } from "@hub/contract/doctor.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { reportSettings } from "@hub/server/stored-settings.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { table } from "../declare/view.ts";
import { toProblem } from "../errors/report-failure.ts";
import { exitCodes } from "../errors/usage-error.ts";
import { toPrintable } from "../text/table.ts";

export function define(doctor: Command, cli: Cli): void {
  doctor
    .description(
      "check data folder, database, keys, settings and rows; exits with 1 if a check fails",
    )
    .addHelpText("after", `\nExample:\n  $ ${cli.name} doctor --json`)
    .action(async (_: unknown, command: Command) => {
      const report = await examine(cli, command);
      cli.print(command, { json: report, text: toReportText(report) });
      if (!report.ok) process.exitCode = exitCodes.failure;
    });
}

/** Runs the checks. If the hub cannot be opened, the report says so. */
async function examine(cli: Cli, command: Command): Promise<DoctorReport> {
  const { config, warnings } = await cli.loadConfig(command);
  try {
    const { hub } = await cli.openHub(command, "cli");
    try {
      const { examineHub } = await import("@hub/server/services/doctor/examine-hub.ts");
      return await examineHub(hub.services, { warnings });
    } finally {
      await hub.close();
    }
  } catch (thrown) {
    const message = toProblem(thrown).error;
    const checked_at = toTimeText(Date.now());
    const checks = [{ name: "start", status: "fail" as const, message, checked_at }];
    return { ok: false, checks, settings: reportSettings(config, new Map()) };
  }
}

function toReportText({ ok, checks, settings }: DoctorReport): string {
  const width = Math.max(...checks.map((check) => check.name.length));
  const lines = checks.map(
    ({ name, status, message }) =>
      `${status.padEnd(7)}  ${name.padEnd(width)}  ${toPrintable(message)}`,
  );
  return `${lines.join("\n")}\n\n${toSettingTable(settings)}\n\n${ok ? "No check failed." : "A check failed: see above."}`;
}

const toSettingTable = table<Setting>([["setting", "name"], "value", ["from", "origin"]], "");
