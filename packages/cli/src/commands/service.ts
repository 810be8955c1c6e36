import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { findSelfCommand } from "@hub/server/lib/process/self-command.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import type { Terminal } from "../process/terminal.ts";
import { planService, type ServicePlan } from "../service/plan-service.ts";
import { writtenBy } from "../service/plist-text.ts";
import { readText, writeWhole } from "../service/service-files.ts";
import { addSettingsFile, listMissingSettings } from "../service/settings-file.ts";
import type { Answer } from "../text/print-answer.ts";

/** Where systemd looks for units of the system: those of the administrator first, then those of packages. */
const systemFolders = [
  "/etc/systemd/system",
  "/usr/lib/systemd/system",
  "/lib/systemd/system",
] as const;

type ServiceOptions = { user?: true; dryRun?: true; backups?: true; start: boolean };

export function define(service: Command, cli: Cli): void {
  const { terminal } = cli;
  service
    .command("install")
    .description("let the system start the hub: systemd on Linux, launchd on macOS")
    .option("--user", "a service of this user (default, unless root runs the command)")
    .option("--backups", "also make a backup each day, by a timer of systemd; 14 are kept")
    .option("--no-start", "write the file, and start nothing")
    .option("--dry-run", "print the file and the commands, and change nothing")
    .action(async (options: ServiceOptions, command: Command) =>
      cli.print(command, await install(terminal, plan(cli, command, options), options)),
    );
  service
    .command("status")
    .description("say whether the service is installed and runs")
    .option("--user", "the service of this user")
    .action(async (options: ServiceOptions, command: Command) =>
      cli.print(command, await showStatus(terminal, plan(cli, command, options))),
    );
  service
    .command("run")
    .description("run a command with the settings of the service, as the owner of its data folder")
    .usage("[options] -- COMMAND…")
    .argument("<command...>", "the command, as after `hub`")
    .option("--user", "the service of this user")
    .addHelpText(
      "after",
      `
Examples:
  sudo hub service run -- user list
  sudo hub service run -- doctor`,
    )
    .action(async (words: string[], options: ServiceOptions, command: Command) => {
      const { runAsService } = await import("../service/run-as-service.ts");
      const { file } = plan(cli, command, options);
      process.exitCode = await runAsService(
        {
          unitFiles: listUnitFiles(file),
          self: findSelfCommand(),
          terminal,
          uid: process.getuid?.() ?? null,
        },
        words,
      );
    });
  service
    .command("remove")
    .description("end the service and delete its file; the data folder stays")
    .option("--user", "the service of this user")
    .option("--dry-run", "print the commands, and change nothing")
    .action(async (options: ServiceOptions, command: Command) =>
      cli.print(command, await remove(terminal, plan(cli, command, options), options)),
    );
}

function plan({ terminal }: Cli, command: Command, { user, backups }: ServiceOptions): ServicePlan {
  const { env } = terminal;
  const home = env.HOME ?? homedir();
  const self = findSelfCommand();
  const { dataDir } = command.optsWithGlobals<{ dataDir?: string }>();
  return planService({
    platform: process.platform,
    isSystem: user !== true && process.getuid?.() === 0,
    home,
    configHome: env.XDG_CONFIG_HOME || join(home, ".config"),
    self: [self.command, ...self.args],
    env: self.env,
    dataDir: dataDir ?? null,
    hasBackups: backups === true,
  });
}

/** A package may have installed the unit of the system. */
function listUnitFiles(file: string): string[] {
  const isOfSystem = dirname(file) === systemFolders[0];
  return isOfSystem ? systemFolders.map((folder) => join(folder, basename(file))) : [file];
}

async function install(
  terminal: Terminal,
  plan: ServicePlan,
  { dryRun, start }: ServiceOptions,
): Promise<Answer> {
  const present = await readOwnFile(plan);
  for (const one of plan.more) await readOwnFile(one);
  const commands = [
    ...(await listUserCommands(terminal, plan)),
    ...(start ? plan.start : plan.reload),
  ];
  const json = { file: plan.file, data_dir: plan.dataDir, settings: plan.envFile, commands };
  if (dryRun) {
    const settings = await listMissingSettings(plan.envFile);
    const files = [plan, ...plan.more, ...settings].map((one) => `${one.file}:\n\n${one.text}`);
    const text = `${files.join("\n")}\n${commands.map(toLine).join("\n")}`;
    return { json: { ...json, text: plan.text, written: false }, text };
  }
  const isChanged = present !== plan.text;
  if (isChanged) await writeWhole(plan.file, plan.text);
  for (const { file, text } of plan.more) await writeWhole(file, text);
  if (plan.envFile !== null) await addSettingsFile(plan.envFile);
  const failures = await runAll(terminal, commands);
  const state = isChanged ? `Wrote ${plan.file}.` : `${plan.file} is there already.`;
  return {
    json: { ...json, written: isChanged, failures },
    text: [state, ...toNextSteps(plan, start, failures)].join("\n"),
  };
}

function toNextSteps(plan: ServicePlan, start: boolean, failures: readonly string[]): string[] {
  const settings = plan.envFile === null ? [] : [`Its settings are read from ${plan.envFile}.`];
  const backups =
    plan.more.length === 0 ? "" : ` A timer makes a backup each day in its folder backups.`;
  const data = `Its data folder is ${plan.dataDir}.${backups}`;
  if (failures.length > 0) return [data, ...settings, "Not done:", ...failures];
  const next = start ? `It runs. Look at it: ${plan.status.join(" ")}` : "Start it:";
  return [data, ...settings, next, ...(start ? [] : plan.start.map(toLine))];
}

/** The system user of the service, if it is missing. */
async function listUserCommands(
  terminal: Terminal,
  { user, dataDir }: ServicePlan,
): Promise<string[][]> {
  if (user === null || (await run(terminal, ["id", "-u", user]))?.exitCode === 0) return [];
  const shell = ["--shell", "/usr/sbin/nologin", "--home-dir", dataDir, "--no-create-home"];
  return [["useradd", "--system", "--user-group", ...shell, user]];
}

async function showStatus(terminal: Terminal, plan: ServicePlan): Promise<Answer> {
  const isInstalled = (await readText(plan.file)) !== null;
  const json = { file: plan.file, installed: isInstalled };
  if (!isInstalled) return { json: { ...json, running: false }, text: "It is not installed." };
  const found = await run(terminal, plan.status);
  const isRunning = found?.exitCode === 0;
  const text = found?.output.trim() || `${plan.status[0]} does not run here.`;
  return { json: { ...json, running: isRunning }, text: `${plan.file}\n${text}` };
}

async function remove(
  terminal: Terminal,
  plan: ServicePlan,
  { dryRun }: ServiceOptions,
): Promise<Answer> {
  const isInstalled = (await readOwnFile(plan)) !== null;
  const timer = await listOwnTimer(plan);
  const stop = [...(timer.length > 0 ? [plan.stopTimer] : []), ...plan.stop];
  const commands = [...stop, ...plan.reload];
  const json = { file: plan.file, removed: isInstalled && dryRun !== true };
  if (!isInstalled) return { json, text: "It is not installed." };
  if (dryRun) {
    return {
      json,
      text: [
        ...[plan.file, ...timer].map((file) => `Delete ${file}`),
        ...commands.map(toLine),
      ].join("\n"),
    };
  }
  const failures = await runAll(terminal, stop);
  for (const file of [plan.file, ...timer]) await rm(file);
  failures.push(...(await runAll(terminal, plan.reload)));
  const rest = failures.length === 0 ? [] : ["Not done:", ...failures];
  const text = [`Deleted ${plan.file}. The data folder ${plan.dataDir} stays.`, ...rest];
  return { json: { ...json, failures }, text: text.join("\n") };
}

/** The text of the service's file; null if there is none. Throws if somebody else wrote it. */
async function readOwnFile({ file }: Pick<ServicePlan, "file">): Promise<string | null> {
  const text = await readText(file);
  if (text === null || text.includes(writtenBy)) return text;
  throw toUsageError(
    `${file} was not written by this command, so it is left alone. Move it away first.`,
  );
}

/** The files of a timer of backups that this command has written. */
async function listOwnTimer({ timerFiles }: ServicePlan): Promise<string[]> {
  const own: string[] = [];
  for (const file of timerFiles) {
    if ((await readText(file))?.includes(writtenBy) === true) own.push(file);
  }
  return own;
}

/** Runs commands up to the first failure. Returns those that were not done, with the reason. */
async function runAll(
  terminal: Terminal,
  commands: readonly (readonly string[])[],
): Promise<string[]> {
  for (const [at, words] of commands.entries()) {
    const done = await run(terminal, words);
    if (done?.exitCode === 0) continue;
    const reason = done === null ? `${words[0]} was not found` : done.output.trim();
    return [`${toLine(words)}: ${reason}`, ...commands.slice(at + 1).map(toLine)];
  }
  return [];
}

/** Null if the PATH has no such program. */
async function run(
  { env }: Terminal,
  [name = "", ...args]: readonly string[],
): Promise<{ exitCode: number; output: string } | null> {
  const program = Bun.which(name, { PATH: env.PATH ?? "" });
  if (program === null) return null;
  const options = { env: { ...env }, stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
  const child = Bun.spawn([program, ...args], options);
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, output: stdout + stderr };
}

function toLine(words: readonly string[]): string {
  return `  ${words.join(" ")}`;
}
