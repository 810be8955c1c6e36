/** How a project is run: from source (`dev`), or from a compiled program. */
export const runModes = ["auto", "dev", "build", "rebuild"] as const;
export type RunMode = (typeof runModes)[number];
