/** The kinds of operations in a review that can be shown alone. */
export const reviewFilters = ["new", "changed", "invalid", "gone", "warnings"] as const;
export type ReviewFilter = (typeof reviewFilters)[number];
