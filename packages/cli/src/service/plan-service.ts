import { join } from "node:path";
import { toUsageError } from "../errors/usage-error.ts";
import { toPlistText, writtenBy } from "./plist-text.ts";
import { quoteUnitWord, toBackupUnitTexts, toUnitText } from "./unit-text.ts";

/** The machine and the program for which a service is made. */
export type ServiceMachine = {
  platform: NodeJS.Platform;
  /** Whether the service is one of the system, and not of the user. */
  isSystem: boolean;
  home: string;
  /** The folder of the user's configuration, such as `~/.config`. */
  configHome: string;
  /** The words that start this program, without a command. */
  self: readonly string[];
  /** Variables that the program needs. */
  env: Readonly<Record<string, string>>;
  /** Null for the default of the service. */
  dataDir: string | null;
  /** Whether a timer makes backups. */
  hasBackups?: boolean;
};

/** A service: its file, and what is run to make it known, start, look at and end it. */
export type ServicePlan = {
  file: string;
  text: string;
  dataDir: string;
  /** The system user of the service, which is made if it is missing. */
  user: string | null;
  envFile: string | null;
  start: readonly string[][];
  status: readonly string[];
  stop: readonly string[][];
  /** Ends the timer of backups. */
  stopTimer: readonly string[];
  reload: readonly string[][];
  /** Further files: of the timer of backups. */
  more: readonly { file: string; text: string }[];
  /** The files of the timer, whether they are wanted or not. */
  timerFiles: readonly string[];
};

/** How many daily backups a timer keeps, in this folder of the data folder. */
const backupsKept = 14;

const serviceUser = "hub";
/** Hidden from the service by ProtectHome. */
const hiddenFolders = /^(?:--cwd=)?\/(?:home|root|run\/user)\//;

/** Throws a usage error on a system without a service manager that is known here. */
export function planService(machine: ServiceMachine): ServicePlan {
  if (machine.platform === "linux") return planUnit(machine);
  if (machine.platform === "darwin") return planJob(machine);
  throw toUsageError(
    "There is no service for this system. On Windows, let the Task Scheduler start `hub serve` when the computer starts.",
  );
}

function planUnit(machine: ServiceMachine): ServicePlan {
  const { isSystem, home, configHome, self, env, dataDir, hasBackups = false } = machine;
  const user = isSystem ? serviceUser : null;
  const data = dataDir ?? (isSystem ? "/var/lib/hub" : join(home, ".local/share/hub"));
  const folder = isSystem ? "/etc/systemd/system" : join(configHome, "systemd/user");
  const envFile = isSystem ? "/etc/hub/hub.env" : join(configHome, "hub/hub.env");
  const control = isSystem ? ["systemctl"] : ["systemctl", "--user"];
  if (isSystem && data !== "/var/lib/hub") {
    throw toUsageError(
      "The data folder of a system service is /var/lib/hub. Leave out --data-dir.",
    );
  }
  const hidden = isSystem ? self.find((word) => hiddenFolders.test(word)) : undefined;
  if (hidden !== undefined) {
    throw toUsageError(
      `${hidden} is in a home folder, which a system service cannot read. Put the program into /usr/local/bin or /opt first.`,
    );
  }
  const backup = toBackupUnitTexts({
    head: [writtenBy],
    exec: [...self, "backup", "--keep", String(backupsKept), join(data, "backups")]
      .map(toCommandWord)
      .join(" "),
    user,
    env: { ...env, HUB_DATA_DIR: data },
    envFile: `-${envFile}`,
  });
  const timerFiles = ["hub-backup.service", "hub-backup.timer"].map((name) => join(folder, name));
  const [serviceFile = "", timerFile = ""] = timerFiles;
  const startTimer = [...control, "enable", "--now", "hub-backup.timer"];
  return {
    more: hasBackups
      ? [
          { file: serviceFile, text: backup.service },
          { file: timerFile, text: backup.timer },
        ]
      : [],
    timerFiles,
    file: join(folder, "hub.service"),
    text: toUnitText({
      head: [
        writtenBy,
        `Settings: one NAME=value a line in ${envFile}, for example HUB_BASE_URL=https://hub.example.com`,
      ],
      exec: [...self, "serve"].map(toCommandWord).join(" "),
      user,
      env: { ...env, HUB_DATA_DIR: data },
      envFile: `-${envFile}`,
    }),
    dataDir: data,
    user,
    envFile,
    reload: [[...control, "daemon-reload"]],
    start: [
      [...control, "daemon-reload"],
      [...control, "enable", "--now", "hub.service"],
      ...(hasBackups ? [startTimer] : []),
    ],
    status: [...control, "status", "--no-pager", "hub.service"],
    stop: [[...control, "disable", "--now", "hub.service"]],
    stopTimer: [...control, "disable", "--now", "hub-backup.timer"],
  };
}

/** A word of a command, in which systemd would replace specifiers and variables. */
function toCommandWord(word: string): string {
  return quoteUnitWord(word.replaceAll("%", "%%").replaceAll("$", "$$$$"));
}

const jobLabel = "hub.serve";

function planJob({ isSystem, home, self, env, dataDir, hasBackups }: ServiceMachine): ServicePlan {
  if (hasBackups === true) {
    throw toUsageError(
      "--backups needs systemd. On macOS, let cron run `hub backup --keep 14 FOLDER` once a day.",
    );
  }
  if (isSystem) {
    throw toUsageError(
      "On macOS, install the service as the user that runs the hub, without sudo.",
    );
  }
  const data = dataDir ?? join(home, "Library/Application Support/hub");
  const file = join(home, "Library/LaunchAgents", `${jobLabel}.plist`);
  return {
    file,
    text: toPlistText({
      label: jobLabel,
      command: [...self, "serve"],
      env: { ...env, HUB_DATA_DIR: data },
      logFile: join(home, "Library/Logs/hub.log"),
    }),
    dataDir: data,
    user: null,
    envFile: null,
    reload: [],
    stopTimer: [],
    more: [],
    timerFiles: [],
    start: [["launchctl", "load", "-w", file]],
    status: ["launchctl", "list", jobLabel],
    stop: [["launchctl", "unload", "-w", file]],
  };
}
