/** Valid values, which are replaced in turn by expensive ones. `ID` stands for an existing id. */
export type Members = Record<string, unknown>;
