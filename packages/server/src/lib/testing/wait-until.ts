/** Polls for a condition without an event, such as the end of another process's child. */
export async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(5);
}

export function isRunning(pid: number): boolean {
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
    .stdout.toString()
    .trim();
  return state !== "" && !state.startsWith("Z");
}
