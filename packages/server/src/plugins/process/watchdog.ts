import { existsSync } from "node:fs";
import { join } from "node:path";
import type { GroupLeader } from "../../lib/process/kill-group.ts";
import { watchdogCommand } from "../../lib/process/part-commands.ts";
import { findPartCommand } from "../../lib/process/self-command.ts";

/**
 * A process that ends the remaining plugins when the hub dies, which closes the pipe to it.
 * Third-party plugins do not notice the hub's death.
 */
export type Watchdog = {
  watch(leader: GroupLeader): void;
  forget(leader: GroupLeader): void;
  stop(): Promise<void>;
};

/** Reads `add PID START` and `del PID START`. Each plugin is the leader of a process group. See `kill-group.ts`. */
const script = `
trap '' HUP INT TERM QUIT
all=' '
while read -r verb pid start; do
  one="$pid:$start"
  case $verb in
    add) all="$all$one " ;;
    del) case $all in *" $one "*) all="\${all%% $one *} \${all#* $one }" ;; esac ;;
  esac
done
find_start() {
  now=
  if [ -d /proc/self ]; then
    stat=
    # A program's name may have line breaks.
    { while read -r line; do stat="$stat $line"; done < "/proc/$1/stat"; } 2>/dev/null
    set -- \${stat##*") "}
    now=\${20:-}
  else
    set -- $(ps -o lstart= -p "$1" 2>/dev/null)
    IFS=_
    now="$*"
    unset IFS
  fi
}
for one in $all; do
  pid=\${one%%:*}
  find_start "$pid"
  if [ -n "$now" ] && [ "$now" != "\${one#*:}" ]; then continue; fi
  kill -KILL "-$pid" 2>/dev/null && continue
  if [ -n "$now" ]; then kill -KILL "$pid" 2>/dev/null; fi
done
# What has left its group is found by its mark.
exec "$@"
`;

export function createWatchdog(mark: string, shell = "/bin/sh"): Watchdog {
  // Windows has no such child. There plugins end with stdin or by the next start's sweep.
  if (process.platform === "win32") return { watch() {}, forget() {}, async stop() {} };
  const { command, args, env } = findWatchdog(mark, shell);
  const child = Bun.spawn([command, ...args], {
    env,
    cwd: "/",
    stdio: ["pipe", "ignore", "ignore"],
    // It must not get the terminal's signals.
    detached: true,
  });
  // It must not keep the hub from ending.
  child.unref();
  const send = (line: string) => {
    child.stdin.write(`${line}\n`);
    child.stdin.flush();
  };
  return {
    watch: (leader) => send(`add ${toWords(leader)}`),
    forget: (leader) => send(`del ${toWords(leader)}`),
    async stop() {
      await child.stdin.end();
      await child.exited;
    },
  };
}

/** Start times have spaces on some systems, and process ids can be given again. */
const toWords = ({ pid, startedAt }: GroupLeader) =>
  `${pid} ${startedAt?.replace(/ +/g, "_") ?? "-"}`;

/** Reads what `toWords` has written. */
export function readWords(pid = "", start = "-"): GroupLeader {
  return { pid: Number(pid), startedAt: start === "-" ? null : start.replaceAll("_", " ") };
}

/** A shell needs a tenth of the memory. Images of a program alone have none. */
function findWatchdog(mark: string, shell: string) {
  const part = findPartCommand(watchdogCommand, join(import.meta.dirname, "plugin-watchdog.ts"));
  const [command, args] = [part.command, [...part.args, mark]];
  if (existsSync(shell)) {
    return { command: shell, args: ["-c", script, "watchdog", command, ...args], env: part.env };
  }
  return { command, args, env: part.env };
}
