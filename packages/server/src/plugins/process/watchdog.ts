import { existsSync } from "node:fs";
import { join } from "node:path";
import { findPartCommand } from "../../lib/self-command.ts";
import { watchdogCommand } from "./watchdog-command.ts";

/**
 * A process that ends the remaining plugins when the hub dies, which closes the pipe to it.
 * Third-party plugins do not notice the hub's death.
 */
export type Watchdog = {
  watch(pid: number): void;
  forget(pid: number): void;
  stop(): Promise<void>;
};

/** Reads `add PID` and `del PID`. Each plugin is the leader of a process group. */
const script = `
trap '' HUP INT TERM QUIT
pids=' '
while read -r verb pid; do
  case $verb in
    add) pids="$pids$pid " ;;
    del) case $pids in *" $pid "*) pids="\${pids%% $pid *} \${pids#* $pid }" ;; esac ;;
  esac
done
for pid in $pids; do kill -KILL "-$pid" 2>/dev/null || kill -KILL "$pid" 2>/dev/null; done
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
    watch: (pid) => send(`add ${pid}`),
    forget: (pid) => send(`del ${pid}`),
    async stop() {
      await child.stdin.end();
      await child.exited;
    },
  };
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
