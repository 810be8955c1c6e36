#!/usr/bin/env bun
import { findBundledProgram } from "./bundle/find-bundled-program.ts";

const bundled = findBundledProgram("wick-main");
await (bundled === null ? import("./wick-main.ts") : import(bundled));
