#!/usr/bin/env bun
import { findBundledProgram } from "./bundle/find-bundled-program.ts";
import { runPart } from "./process/program-parts.ts";

if (!(await runPart(process.argv))) {
  const bundled = findBundledProgram("hub-main");
  await (bundled === null ? import("./hub-main.ts") : import(bundled));
}
