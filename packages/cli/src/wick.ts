#!/usr/bin/env bun
import { findProgram } from "./bundle/find-bundled-program.ts";

const bundled = findProgram("wick-main");
await (bundled === null ? import("./wick-main.ts") : import(bundled));
