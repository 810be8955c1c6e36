/** Flags of `bun build --compile` for every program that the hub compiles. */
const commonFlags = [
  // The program must not read configuration files from the directory where it is started.
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  "--keep-names",
];

type Build = {
  mains: readonly string[];
  outfile: string;
  flags: readonly string[];
  /** Bun writes temporary files there. */
  cwd: string;
};

/**
 * Compiles a standalone program. Throws with the compiler's text. A compiled program acts as Bun
 * with BUN_BE_BUN, so no Bun is needed beside it.
 */
export async function runBunBuild({ mains, outfile, flags, cwd }: Build): Promise<void> {
  const bun = Bun.spawn({
    cmd: [
      process.execPath,
      ...["build", "--compile", ...commonFlags, ...flags, ...mains, `--outfile=${outfile}`],
    ],
    cwd,
    // Options of this program, such as `--preload`, are not options of the compiler.
    env: { ...process.env, BUN_BE_BUN: "1", BUN_OPTIONS: "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(bun.stdout).text(),
    new Response(bun.stderr).text(),
    bun.exited,
  ]);
  if (exitCode === 0 && (await Bun.file(outfile).exists())) return;
  throw new Error((stderr || stdout).trim() || `bun ended with ${exitCode}`);
}
