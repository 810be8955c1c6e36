import { runHub } from "./run-hub.ts";

// Printed commands must work as printed. In a checkout, that takes npx.
const isRunByNpm = ["exec", "start"].includes(process.env.npm_command ?? "");
await runHub({ name: isRunByNpm ? "npx hub" : "hub" });
