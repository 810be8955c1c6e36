#!/usr/bin/env bun
import { runHub } from "./run-hub.ts";

await runHub();
