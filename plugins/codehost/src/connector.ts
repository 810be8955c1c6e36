import { defineConnector } from "@hub/connector";
import { checkHealth } from "./check-codehost-health.ts";
import { configFields } from "./codehost-config-fields.ts";
import { actions } from "./operations/actions.ts";
import { files } from "./operations/files.ts";
import { hooks } from "./operations/hooks.ts";
import { issueChanges } from "./operations/issue-changes.ts";
import { issues } from "./operations/issues.ts";
import { pulls } from "./operations/pulls.ts";
import { releases } from "./operations/releases.ts";
import { repositories } from "./operations/repositories.ts";
import { repositoryChanges } from "./operations/repository-changes.ts";
import { reviews } from "./operations/reviews.ts";
import { search } from "./operations/search.ts";
import { user } from "./operations/user.ts";

/** Reads and changes a code host with the token of one account. */
export const codehost = defineConnector({
  key: "codehost",
  name: "Code host",
  icon: "brand-github",
  tier: "plugin",
  description:
    "Reads and changes repositories, issues, pull requests, files and releases of a code host (GitHub's REST API v3).",
  config: configFields,
  operations: {
    ...repositories,
    ...repositoryChanges,
    ...issues,
    ...issueChanges,
    ...pulls,
    ...reviews,
    ...search,
    ...actions,
    ...hooks,
    ...files,
    ...releases,
    ...user,
  },
  health: checkHealth,
});
