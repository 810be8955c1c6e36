/**
 * The process that runs the scripts of code nodes. The hub starts itself with a hidden command, which
 * loads this file; a program that runs from its sources starts this file.
 */
import { serveCode } from "./serve-code.ts";

await serveCode();
process.exit();
