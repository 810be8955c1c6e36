/** Operations of the `http` connector: each of its rows brings this many tools. */
const httpOperations = 6;

/** How many `http` rows bring about this many tools; measures report the exact number. */
export function toHttpRows(tools: number): number {
  return Math.ceil(tools / httpOperations);
}

/** `total` of a `hub_list` answer. */
export function countTools(answer: unknown): number {
  if (typeof answer === "object" && answer !== null && "total" in answer) {
    if (typeof answer.total === "number") return answer.total;
  }
  throw new Error("hub_list answered without a total.");
}
