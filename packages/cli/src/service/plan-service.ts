import { join } from "node:path";
import { toUsageError } from "../usage-error.ts";
import { toPlistText, writtenBy } from "./plist-text.ts";
import { quoteUnitWord, toUnitText } from "./unit-text.ts";

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
  reload: readonly string[][];
};

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

function planUnit({ isSystem, home, configHome, self, env, dataDir }: ServiceMachine): ServicePlan {
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
  return {
    file: join(folder, "hub.service"),
    text: toUnitText({
      head: [
        writtenBy,
        `Settings: one NAME=value a line in ${envFile}, for example HUB_BASE_URL=https://hub.example.com`,
      ],
      exec: [...self, "serve"].map(toCommandWord).join(" "),
      ...{ user, env: { ...env, HUB_DATA_DIR: data }, envFile: `-${envFile}` },
    }),
    ...{ dataDir: data, user, envFile },
    reload: [[...control, "daemon-reload"]],
    start: [
      [...control, "daemon-reload"],
      [...control, "enable", "--now", "hub.service"],
    ],
    status: [...control, "status", "--no-pager", "hub.service"],
    stop: [[...control, "disable", "--now", "hub.service"]],
  };
}

/** A word of a command, in which systemd would replace specifiers and variables. */
function toCommandWord(word: string): string {
  return quoteUnitWord(word.replaceAll("%", "%%").replaceAll("$", "$$$$"));
}

const jobLabel = "hub.serve";

function planJob({ isSystem, home, self, env, dataDir }: ServiceMachine): ServicePlan {
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
    ...{ dataDir: data, user: null, envFile: null, reload: [] },
    start: [["launchctl", "load", "-w", file]],
    status: ["launchctl", "list", jobLabel],
    stop: [["launchctl", "unload", "-w", file]],
  };
}
