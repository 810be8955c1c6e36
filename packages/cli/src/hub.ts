#!/usr/bin/env bun
import { findProgram } from "./bundle/find-program.ts";
import { runPart } from "./parts.ts";

if (!(await runPart(process.argv))) {
  const bundled = findProgram("hub-main");
  await (bundled === null ? import("./hub-main.ts") : import(bundled));
}
