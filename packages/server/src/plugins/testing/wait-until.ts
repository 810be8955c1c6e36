/** Waits for something that nobody tells about, such as the end of somebody else's process. */
export async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(5);
}

export function isRunning(pid: number): boolean {
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
    .stdout.toString()
    .trim();
  return state !== "" && !state.startsWith("Z");
}
