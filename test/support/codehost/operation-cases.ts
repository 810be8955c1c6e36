import { filesAndMore } from "./files-and-more.ts";
import { issueOperations } from "./issues.ts";
import type { OperationCases } from "./operation-case.ts";
import { pullRequests } from "./pull-requests.ts";
import { repositories } from "./repositories.ts";

/** Every operation that the specification gives the connector. */
export const operationCases: OperationCases = {
  ...repositories,
  ...issueOperations,
  ...pullRequests,
  ...filesAndMore,
};
