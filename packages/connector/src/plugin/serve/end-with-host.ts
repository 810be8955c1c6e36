/**
 * Ends this process when its host has ended, for any reason: the pipe on stdin closes then. If the
 * system can kill a child together with its parent, this works even for a plugin that hangs.
 */
export async function endWithHost(end: () => void): Promise<void> {
  process.stdin.on("end", end);
  process.stdin.on("error", end);
  process.stdin.resume();
  if (process.platform === "linux") await requestDeathSignal();
}

async function requestDeathSignal(): Promise<void> {
  const PR_SET_PDEATHSIG = 1;
  const SIGKILL = 9;
  try {
    const { dlopen } = await import("bun:ffi");
    const { symbols } = dlopen("libc.so.6", {
      prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
    });
    symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  } catch {
    // In another runtime or with another C library, only the end of stdin is left.
  }
}
