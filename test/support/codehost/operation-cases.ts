import { filesAndMore } from "./files-and-more.ts";
import { issueOperations } from "./issues.ts";
import type { OperationCases } from "./operation-case.ts";
import { pullRequests } from "./pull-requests.ts";
import { repositories } from "./repositories.ts";

/** Every operation of the connector's specification. */
export const operationCases: OperationCases = {
  ...repositories,
  ...issueOperations,
  ...pullRequests,
  ...filesAndMore,
};
