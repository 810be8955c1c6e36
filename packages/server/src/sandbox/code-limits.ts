/** The memory of one script, with its inputs as far as it reads them. */
export const scriptBytesMax = 64 * 1024 * 1024;

/** How deep calls may be nested. The stack of the interpreter is part of its memory. */
export const stackBytesMax = 256 * 1024;

/** What a script returns, as JSON. */
export const valueBytesMax = 1024 * 1024;
export const valueDepthMax = 256;
/** More values take more than a few milliseconds to read. */
export const valuesMax = 100_000;

/** The inputs of one script, as JSON. */
export const inputBytesMax = 16 * 1024 * 1024;

/** Lines of `console.log` that are kept of one script. */
export const logLinesMax = 20;
export const logCharsMax = 1000;
export const messageCharsMax = 2000;

/** The resident memory of a process: the program, the inputs, and the script twice over. */
export const residentBytesMax = 288 * 1024 * 1024;
