/** What a change of an operation changes. */
export const operationRefreshes = [
  "GET /manager/api/rows/{row}/operations",
  "GET /manager/api/rows/{row}",
] as const;
