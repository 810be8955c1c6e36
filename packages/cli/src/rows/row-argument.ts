/** The argument by which every command names a row. */
export const rowArgument = ["<row>", "id, first characters of the id, or label"] as const;
