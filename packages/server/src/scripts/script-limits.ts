/** The calls that an error lists. All of them have records. */
export const listedCallsMax = 60;

// As for the arguments of the meta-tools.
export const toolIdCharsMax = 500;
export const queryCharsMax = 1_000;
export const fieldsMax = 50;
export const fieldCharsMax = 500;
