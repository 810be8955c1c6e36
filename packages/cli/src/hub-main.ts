import { runHub } from "./run-hub.ts";

// What the program prints for typing again works as printed: in a checkout, npx finds it.
const isRunByNpm = ["exec", "start"].includes(process.env.npm_command ?? "");
await runHub({ name: isRunByNpm ? "npx hub" : "hub" });
