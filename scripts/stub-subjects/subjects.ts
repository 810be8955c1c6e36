import { dirname } from "node:path";

const server = (names: string) => names.split(" ").map((name) => `packages/server/src/${name}`);

/** What the tests that start the program are about. Without it they must fail. */
export const blackBoxSubjects: Readonly<Record<string, readonly string[]>> = {
  "test/backup.test.ts": server("store/backup/read-archive.ts"),
  "test/bridge-changes.test.ts": server("bridges/mcp/discover-tools.ts"),
  "test/echoed-secrets.test.ts": server("operations/masking/seal-result.ts"),
  "test/every-call-recorded.test.ts": server("operations/records/record-call.ts"),
  "test/failures.test.ts": server("operations/masking/describe-failure.ts"),
  "test/full-disk.test.ts": server("http/guards/need-space.ts"),
  "test/guesses.test.ts": server("operations/guesses/limit-guesses.ts"),
  "test/hostile-http.test.ts": server("http/bodies/body-readers.ts"),
  "test/masking.test.ts": server("secrets/masks/mask.ts"),
  "test/oauth-attacks.test.ts": server("oauth/redirect-uri.ts"),
  "test/oauth-clients.test.ts": server("oauth/client-metadata.ts"),
  "test/proxies.test.ts": server("http/clients/find-client.ts"),
  "test/purge.test.ts": server("jobs/purge-runs.ts jobs/purge-sessions.ts"),
  "test/request-attacks.test.ts": server("http/guards/check-origin.ts http/guards/check-host.ts"),
  "test/rights-end.test.ts": server("operations/calls/watch-right.ts"),
  "test/rotation.test.ts": server("secrets/keys/sealed-keys.ts"),
  "test/row-tokens.test.ts": server("operations/calls/open-params.ts"),
  "test/sign-in-attacks.test.ts": server("identity/sign-in-throttle.ts"),
  "test/single-sign-on.test.ts": server("identity/sso/link-account.ts"),
  "test/traces.test.ts": server("operations/trace-operations.ts"),
  "test/uniform-answers.test.ts": server("http/guards/check-bearer.ts"),
  "test/api/history.test.ts": server("services/runs/own-run-history.ts"),
  "test/api/settings.test.ts": server("services/manage-settings.ts"),
  "test/api/users.test.ts": server("services/users/manage-users.ts"),
  "test/channels/channel-doors.test.ts": server("http/events/channel-endpoint.ts"),
  "test/channels/link-accounts.test.ts": server("channels/linking/take-direct.ts"),
  "test/cli/keys-and-doctor.test.ts": server("services/doctor/examine-hub.ts"),
  "test/workflows/approvals.test.ts": server("workflows/approvals/decide-approval.ts"),
  "test/workflows/hostile-webhooks.test.ts": server(
    "workflows/webhooks/receive/receive-webhook.ts",
  ),
  "test/workflows/resume.test.ts": server("workflows/runs/resume/resume-run.ts"),
  "test/workflows/template-preview.test.ts": server("workflows/runs/preview-template.ts"),
  "test/workflows/webhook-pace.test.ts": server("workflows/webhooks/receive/webhook-pace.ts"),
};

/**
 * The modules under test of each test file: the module beside it of the same name, otherwise the modules that it imports
 * from its folder, and for tests that start the program the table above.
 */
export function findSubjects(
  imports: ReadonlyMap<string, readonly string[]>,
): Map<string, readonly string[]> {
  const subjects = new Map<string, readonly string[]>(Object.entries(blackBoxSubjects));
  for (const [file, imported] of imports) {
    if (!isUnitTest(file)) continue;
    const own = [".ts", ".tsx"]
      .map((ending) => file.replace(/\.test\.tsx?$/, ending))
      .filter((module) => imports.has(module));
    const nearby = imported.filter(
      (module) => module.startsWith(`${dirname(file)}/`) && isProduct(module),
    );
    const found = own.length > 0 ? own : nearby;
    if (found.length > 0) subjects.set(file, found);
  }
  return subjects;
}

const isUnitTest = (file: string) => /\.test\.tsx?$/.test(file) && !file.startsWith("test/");
const isProduct = (file: string) => !/\/testing\/|\.(?:test|testsuite|fixture)\.tsx?$/.test(file);
