/**
 * The hidden commands by which the program starts parts of itself as processes of their own. `process/program-parts.ts` of the
 * command line runs them; `findPartCommand` makes a whole command of one.
 */

/** The hidden command of the program that fences itself and then becomes another program. */
export const launcherCommand = "program-launcher";

/** The hidden command of the program that ends plugins when the hub dies, where there is no shell. */
export const watchdogCommand = "plugin-watchdog";

/** The hidden command of the program that checks a database. */
export const integrityCommand = "check-integrity";

/** The hidden command of the program that stores a plan. */
export const planWriterCommand = "store-plan";

/** The hidden command of the program that runs scripts of code nodes. */
export const codeCommand = "code-process";
