#!/usr/bin/env bun
import { launcherCommand } from "@hub/server/plugins/fence/launcher-command.ts";
import { codeCommand } from "@hub/server/workflows/code/code-command.ts";
import { findProgram } from "./bundle/find-program.ts";

if (process.argv[2] === codeCommand) {
  // Scripts need nothing else of the program.
  await import("@hub/server/workflows/code/code-process.ts");
} else if (process.argv[2] === launcherCommand) {
  await import("@hub/server/plugins/fence/program-launcher.ts");
} else {
  const bundled = findProgram("hub-main");
  await (bundled === null ? import("./hub-main.ts") : import(bundled));
}
