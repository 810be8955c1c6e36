/**
 * The test files that only `.ci/nightly` runs, by their paths from the root. Each has the file that shows its subject in
 * `.ci/run`, or the reason why none does. `test/nightly-files.test.ts` checks the paths.
 */
export const nightlyFiles: Record<string, { twin: string } | { reason: string }> = {
  "bench/subjects/hub-folder.test.ts": { reason: "The bench is no part of the hub." },
  "test/channels/telegram-guide.test.ts": { twin: "test/channels/telegram-runs.test.ts" },
  "test/channels/telegram-killed-hub.test.ts": { twin: "test/channels/slack-runs.test.ts" },
  "test/connector-versions.test.ts": { twin: "test/plugin-install.test.ts" },
  "test/disk-floods.test.ts": { twin: "packages/server/src/jobs/limit-run-bytes.test.ts" },
  "test/faulty-disk.test.ts": {
    twin: "packages/server/src/operations/records/store-failures.test.ts",
  },
  "test/fence-programs.test.ts": { twin: "packages/server/src/plugins/fence/fence.test.ts" },
  // Two hundred operations, whose inputs and answers the suite tries against recorded answers.
  "test/oracles/codehost.test.ts": { twin: "test/codehost-answers.test.ts" },
  // It starts a Keycloak, which takes minutes.
  "test/oracles/keycloak.test.ts": {
    twin: "packages/server/src/identity/sso/watch-provider.test.ts",
  },
  "test/oracles/account-pages.test.ts": { twin: "test/oracles/app-pages.test.ts" },
  // It installs packages of Python.
  "test/oracles/scim.test.ts": { twin: "test/scim/provider-bodies.test.ts" },
  "test/oracles/canvas-parts-pages.test.ts": { twin: "test/oracles/canvas-pages.test.ts" },
  "test/oracles/canvas-values-pages.test.ts": { twin: "test/oracles/canvas-pages.test.ts" },
  "test/oracles/connect-pages.test.ts": { twin: "test/oracles/bridge-pages.test.ts" },
  "test/oracles/connection-pages.test.ts": { twin: "test/oracles/connector-pages.test.ts" },
  "test/oracles/install-pages.test.ts": { twin: "test/oracles/connector-pages.test.ts" },
  "test/oracles/large-results-pages.test.ts": {
    twin: "packages/web/src/ui/json/choose-open.test.ts",
  },
  "test/oracles/people-pages.test.ts": { twin: "test/oracles/admin-pages.test.ts" },
  "test/oracles/rule-pages.test.ts": { twin: "test/oracles/row-pages.test.ts" },
  "test/oracles/workflow-parts-pages.test.ts": { twin: "test/oracles/workflow-pages.test.ts" },
  "test/oracles/postgres-plugins.test.ts": {
    twin: "packages/server/src/plugins/shared/shared.test.ts",
  },
  "test/oracles/canvas-gestures-pages.test.ts": {
    twin: "packages/web/src/pages/canvas/view/zoom-keys.test.ts",
  },
  "test/oracles/drawn-workflow-pages.test.ts": { twin: "test/oracles/canvas-pages.test.ts" },
  "test/oracles/keyboard-pages.test.ts": { twin: "test/oracles/row-pages.test.ts" },
  "test/oracles/logs-pages.test.ts": { twin: "test/logs.test.ts" },
  "test/oracles/operation-widgets-pages.test.ts": { twin: "test/oracles/row-pages.test.ts" },
  "test/oracles/page-cost.test.ts": { twin: "test/oracles/first-run-pages.test.ts" },
  "test/oracles/ordinary-user-pages.test.ts": { twin: "test/oracles/admin-pages.test.ts" },
  "test/oracles/palette.test.ts": { twin: "test/oracles/app-pages.test.ts" },
  "test/oracles/postgres-channels.test.ts": {
    twin: "packages/server/src/channels/hold-channels.test.ts",
  },
  "test/oracles/replicas.test.ts": { twin: "test/oracles/postgres-replicas.test.ts" },
  "test/oracles/version-1-hosts.test.ts": { twin: "test/oracles/version-1-plugins.test.ts" },
  "test/oracles/workflow-replicas.test.ts": { twin: "test/oracles/postgres-workflows.test.ts" },
  "test/plugins-killed-hub.test.ts": {
    twin: "packages/server/src/plugins/process/orphans.test.ts",
  },
  "test/request-rounds.test.ts": {
    twin: "packages/server/src/http/queue/request-queue.test.ts",
  },
  "test/workflows/approval-doors.test.ts": { twin: "test/workflows/approvals.test.ts" },
  "test/workflows/kill-workflows.test.ts": { twin: "test/workflows/resume.test.ts" },
};

/** Those that install packages from the registry. They run by their names only, which `.ci/nightly` gives. */
export const byNameOnly: readonly string[] = ["test/oracles/packed-packages.test.ts"];
