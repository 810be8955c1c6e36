/** The calls and searches of one script. */
export const callsMax = 200;

/** The results of all calls of one script together, as JSON. */
export const resultsBytesMax = 1024 * 1024;

/** The calls that an error lists. All of them have records. */
export const listedCallsMax = 60;

export const toolIdCharsMax = 200;
export const queryCharsMax = 1_000;
/** As `fields` of `hub_execute`. */
export const fieldsMax = 50;
export const fieldCharsMax = 500;
