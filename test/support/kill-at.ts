/**
 * Preloaded into a program under test: kills it, like a crash, before the step that KILL_AT names. The
 * steps belong to writing a key file.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const step = process.env.KILL_AT;

function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

const { open, rename } = fs.promises;
/** The number of key files that were renamed to their final path. A rotation renames two. */
let placed = 0;
const isKeyFile = (path: unknown) => String(path).includes("keys.json");

fs.promises.open = async (path, flags, mode) => {
  if (step === "before the new keys are written" && isKeyFile(path) && flags === "wx") await die();
  return await open(path, flags, mode);
};
fs.promises.rename = async (from, to) => {
  if (step === "before the new keys are placed" && isKeyFile(to)) await die();
  if (step === "before the new key seals" && isKeyFile(to) && placed === 1) await die();
  await rename(from, to);
  if (step === "before the commit" && isKeyFile(to)) await die();
  if (isKeyFile(to)) placed += 1;
};
syncBuiltinESMExports();
