/** The number of operations of the `http` connector, which is the number of tools of each row. */
const httpOperations = 6;

/** The number of `http` rows for about this many tools. Measures report the exact number. */
export function toHttpRows(tools: number): number {
  return Math.ceil(tools / httpOperations);
}

/** Reads `total` of a `hub_list` answer. */
export function countTools(answer: unknown): number {
  if (typeof answer === "object" && answer !== null && "total" in answer) {
    if (typeof answer.total === "number") return answer.total;
  }
  throw new Error("hub_list answered without a total.");
}
