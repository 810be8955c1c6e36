/** Runs a command of this folder. An error is printed as its message, and the process then exits with 2. */
export async function runCommand(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (err) {
    console.error(err instanceof Error ? err.message : err);
    process.exitCode = 2;
  }
}
