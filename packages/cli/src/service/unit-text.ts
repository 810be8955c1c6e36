/** A unit of systemd. */
export type Unit = {
  /** Comment lines at its top. */
  head: readonly string[];
  /** The start command, as systemd reads it. */
  exec: string;
  /** Of a system service: its user, or a user that systemd makes up (`dynamic`). Null for a service of a user. */
  user: string | null;
  envFile: string;
  /** Variables that the file with the settings may replace. */
  env: Readonly<Record<string, string>>;
};

/** The user that systemd makes up for the time of the service. */
const dynamicUser = "dynamic";

/**
 * The unit of a hub. A system service can write to its data folder and to temporary files of its own, and has no
 * privileges. A service of a user has what the user has: most fences need privileges.
 */
export function toUnitText({ head, exec, user, envFile, env }: Unit): string {
  return `${[
    ...head.map(toComment),
    "[Unit]",
    "Description=Hub: connectors for LLM clients",
    ...(user === null ? [] : ["After=network-online.target", "Wants=network-online.target"]),
    "",
    "[Service]",
    `ExecStart=${exec}`,
    ...toAccount({ user, envFile, env }),
    ...running,
    "",
    ...(user === null ? fencesOfUser : fences),
    "",
    "[Install]",
    `WantedBy=${user === null ? "default" : "multi-user"}.target`,
  ].join("\n")}\n`;
}

/** The same for a program that writes a backup and ends, with the timer that starts it once a day. */
export function toBackupUnitTexts({ head, exec, user, envFile, env }: Unit): {
  service: string;
  timer: string;
} {
  const comments = head.map(toComment);
  const service = [
    ...comments,
    "[Unit]",
    "Description=A backup of the hub",
    "",
    "[Service]",
    "Type=oneshot",
    `ExecStart=${exec}`,
    ...toAccount({ user, envFile, env }),
    "Nice=10",
    "",
    ...(user === null ? fencesOfUser : fences),
  ];
  const timer = [
    ...comments,
    "[Unit]",
    "Description=Daily backups of the hub",
    "",
    "[Timer]",
    "OnCalendar=daily",
    "RandomizedDelaySec=30min",
    "# After a time without power, at the next start.",
    "Persistent=yes",
    "",
    "[Install]",
    "WantedBy=timers.target",
  ];
  return { service: `${service.join("\n")}\n`, timer: `${timer.join("\n")}\n` };
}

function toComment(line: string): string {
  return line === "" ? "#" : `# ${line}`;
}

/** The settings and the user of a program. */
function toAccount({ user, envFile, env }: Pick<Unit, "user" | "envFile" | "env">): string[] {
  const variables = Object.entries(env).map(
    ([name, value]) => `Environment=${quoteUnitWord(`${name}=${value}`.replaceAll("%", "%%"))}`,
  );
  return [...variables, `EnvironmentFile=${envFile}`, ...(user === null ? [] : toOwner(user))];
}

function toOwner(user: string): string[] {
  const owner = user === dynamicUser ? ["DynamicUser=yes"] : [`User=${user}`, `Group=${user}`];
  return [...owner, "StateDirectory=hub", "StateDirectoryMode=0700"];
}

const running = [
  "Restart=always",
  "RestartSec=2",
  "# Draining, then up to ten seconds for running calls.",
  "TimeoutStopSec=30",
  "# The main process stops its plugins itself.",
  "KillMode=mixed",
  "LimitNOFILE=65536",
  "# For the limits of plugins: the hub makes a cgroup for each program. One that takes too much ends alone.",
  "Delegate=memory pids",
  "OOMPolicy=continue",
];

const fencesOfUser = ["NoNewPrivileges=yes", "UMask=0077"];

const fences = [
  "NoNewPrivileges=yes",
  "CapabilityBoundingSet=",
  "ProtectSystem=strict",
  "ProtectHome=yes",
  "ProtectProc=invisible",
  "ProtectClock=yes",
  "ProtectHostname=yes",
  "ProtectKernelLogs=yes",
  "ProtectKernelModules=yes",
  "ProtectKernelTunables=yes",
  "# The hub may change its own cgroup; the system's others belong to root.",
  "ProtectControlGroups=no",
  "PrivateTmp=yes",
  "PrivateDevices=yes",
  "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
  "RestrictNamespaces=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=yes",
  "LockPersonality=yes",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service",
  "# For the fence of plugins. Not every version of systemd has them in the group above.",
  "SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self",
  "SystemCallErrorNumber=EPERM",
  "UMask=0077",
  "# MemoryDenyWriteExecute is not possible: JavaScript is compiled while it runs.",
];

/** As systemd reads a word that has spaces or quotes. */
export function quoteUnitWord(word: string): string {
  return /^[\w@%+=:,./$-]+$/.test(word)
    ? word
    : `"${word.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
