import { argument } from "../declare/parameters.ts";

const words = ["<row>", "id, first characters of the id, or label"] as const;

/** The argument by which every command names a row. Its value is the id. */
export const rowArgument = argument(...words, ({ findRowId }, typed) => findRowId(typed));

/** The same as it was typed, for commands that print it. */
export const typedRowArgument = argument(...words);
