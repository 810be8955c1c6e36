/**
 * A shell process that ends the remaining plugins when the hub dies, which closes the pipe to it.
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
`;

export function createWatchdog(): Watchdog {
  // Windows has no such shell. There plugins end with stdin or by the next start's sweep.
  if (process.platform === "win32") return { watch() {}, forget() {}, async stop() {} };
  const shell = Bun.spawn(["/bin/sh", "-c", script], {
    env: {},
    cwd: "/",
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
    // It must not get the terminal's signals.
    detached: true,
  });
  // It must not keep the hub from ending.
  shell.unref();
  const send = (line: string) => {
    shell.stdin.write(`${line}\n`);
    shell.stdin.flush();
  };
  return {
    watch: (pid) => send(`add ${pid}`),
    forget: (pid) => send(`del ${pid}`),
    async stop() {
      await shell.stdin.end();
      await shell.exited;
    },
  };
}
