/** The longest source of a template, in bytes of UTF-8. */
export const sourceBytesMax = 64 * 1024;

/** The largest output of one field, and the longest text that a function returns. */
export const outputBytesMax = 1024 * 1024;

/** How deep actions and parentheses may be nested. */
export const nestingMax = 64;

/** How deep a value may be nested that a function writes or reads as JSON. */
export const valueDepthMax = 256;

/**
 * The steps of one rendering. A step is the evaluation of one part of a template, or work on
 * `charsPerStep` characters. All of them take less than a tenth of a second.
 */
export const stepsMax = 200_000;

/** Characters that a function reads or writes for one step. */
export const charsPerStep = 64;

/** More warnings of one rendering are not kept. */
export const warningsMax = 20;
