#!/usr/bin/env bun
import { findProgram } from "./bundle/find-program.ts";

const bundled = findProgram("hub-main");
await (bundled === null ? import("./hub-main.ts") : import(bundled));
