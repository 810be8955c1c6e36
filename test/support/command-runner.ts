import { serveCommands } from "./serve-commands.ts";

/** The commands of the program `hub`, see `command-process.ts`. */
await serveCommands([]);
