import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The command that starts a client, or the reason why this machine cannot build it. */
export type BuiltClient = { command: string[] } | { reason: string };

const sources = resolve(import.meta.dirname, "../clients");
const cache = resolve(sources, "../../../node_modules/.cache/hub/sdk-clients");

/** Builds the client of the official Java SDK. Maven keeps what it downloads in its own folder. */
export function buildJavaClient(): BuiltClient {
  if (Bun.which("mvn") === null || Bun.which("javac") === null) {
    return { reason: "there is no Maven or no JDK here" };
  }
  const source = join(sources, "java");
  const out = join(cache, "java");
  mkdirSync(out, { recursive: true });
  const classpath = join(out, "classpath");
  const goal = "org.apache.maven.plugins:maven-dependency-plugin:2.8:build-classpath";
  const found = run(["mvn", "-q", "-B", goal, `-Dmdep.outputFile=${classpath}`], source);
  if (found !== null) return { reason: `its packages cannot be had: ${found}` };
  const jars = readFileSync(classpath, "utf8");
  const failure = run(
    ["javac", "-encoding", "UTF-8", "-cp", jars, "-d", out, "SdkClient.java"],
    source,
  );
  if (failure !== null) throw new Error(`javac failed: ${failure}`);
  // Java 17 takes the encoding from the locale, and the SDK reads its child process with it.
  const utf8 = ["-Dfile.encoding=UTF-8", "-Dsun.stdout.encoding=UTF-8"];
  return { command: ["java", ...utf8, "-cp", `${out}:${jars}`, "SdkClient"] };
}

/** Builds the client of the official Rust SDK, which takes minutes at first. */
export function buildRustClient(): BuiltClient {
  if (Bun.which("cargo") === null) return { reason: "there is no Rust here" };
  const source = join(sources, "rust");
  const target = join(cache, "rust");
  const fetched = run(["cargo", "fetch", "--locked"], source);
  if (fetched !== null) return { reason: `its packages cannot be had: ${fetched}` };
  const build = ["cargo", "build", "--quiet", "--locked", "--target-dir", target];
  const failure = run(build, source);
  if (failure !== null) throw new Error(`cargo build failed: ${failure}`);
  return { command: [join(target, "debug/sdk-client")] };
}

/** What a command that failed has said; null if it did not fail. */
function run(command: string[], cwd: string): string | null {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd });
  return exitCode === 0 ? null : `${stdout.toString()}${stderr.toString()}`.trim();
}
