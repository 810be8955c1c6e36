import { fileURLToPath } from "node:url";
import { type RunningProgram, startProgram } from "./running-program.ts";

export function startEcho(): Promise<RunningProgram> {
  return startProgram([fileURLToPath(import.meta.resolve("./echo.ts"))]);
}
