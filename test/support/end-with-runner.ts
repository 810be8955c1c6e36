type Program = { pid: number; exited: Promise<unknown> };

/** Reads `+PID ` and `-PID ` lines, and at the end of its input kills those that are left. */
const script = `
left=' '
while read -r sign pid; do
  case $sign in
    +) left="$left$pid " ;;
    -) left="\${left%% $pid *} \${left#* $pid }" ;;
  esac
done
for pid in $left; do kill -9 "$pid"; done`;

let watcher: ReturnType<typeof startWatcher> | undefined;

/**
 * Lets a program that a test started end with the process of the test, also if that one is killed by SIGKILL. A shell holds
 * the other end of a pipe, which the system closes then.
 */
export function endWithRunner({ pid, exited }: Program): void {
  watcher ??= startWatcher();
  const { stdin } = watcher;
  const record = (sign: "+" | "-") => {
    stdin.write(`${sign} ${pid}\n`);
    stdin.flush();
  };
  record("+");
  const recordEnd = () => record("-");
  exited.then(recordEnd, recordEnd);
}

function startWatcher() {
  const shell = Bun.spawn(["sh", "-c", script], {
    stdio: ["pipe", "ignore", "ignore"],
    // A signal to the group of the tests does not end it.
    detached: true,
  });
  shell.unref();
  return shell;
}
