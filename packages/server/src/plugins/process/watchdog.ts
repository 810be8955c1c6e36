/**
 * A shell that outlives the hub by a moment: when the hub dies, however it does, the pipe to it
 * closes and it ends the plugins that are left. Existing plugins do not notice by themselves.
 */
export type Watchdog = {
  watch(pid: number): void;
  forget(pid: number): void;
  stop(): Promise<void>;
};

/** It reads `add PID` and `del PID`; a plugin leads a process group of its own. */
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
  // Windows has no such shell; there the end of stdin and the next start's sweep have to do.
  if (process.platform === "win32") return { watch() {}, forget() {}, async stop() {} };
  const shell = Bun.spawn(["/bin/sh", "-c", script], {
    env: {},
    cwd: "/",
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
    // The terminal's signals are not for it.
    detached: true,
  });
  // It must not keep the hub from ending.
  shell.unref();
  const tell = (line: string) => {
    shell.stdin.write(`${line}\n`);
    shell.stdin.flush();
  };
  return {
    watch: (pid) => tell(`add ${pid}`),
    forget: (pid) => tell(`del ${pid}`),
    async stop() {
      await shell.stdin.end();
      await shell.exited;
    },
  };
}
