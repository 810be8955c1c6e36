import type { ClaimCondition } from "@hub/contract/machine.ts";
import { HubError } from "../../errors.ts";
import type { TrustedIssuer } from "../../store/machines/trusted-issuers-table.ts";

/** They say when and for whom an assertion is, and nothing of what the program is. */
const protocolClaims: ReadonlySet<string> = new Set(["iss", "aud", "exp", "iat", "nbf", "jti"]);

/** Issuers that sign for all their customers: a condition must name whose program it is. */
const sharedIssuers: ReadonlyArray<{ issuer: string; owner: RegExp; claims: readonly string[] }> = [
  {
    issuer: "https://token.actions.githubusercontent.com",
    owner: /^repo:[^/:*]+\/[^/:*]*/,
    claims: ["repository", "repository_id", "repository_owner", "repository_owner_id"],
  },
  {
    issuer: "https://gitlab.com",
    owner: /^project_path:[^/:*]+\/[^/:*]*/,
    claims: ["project_id", "project_path", "namespace_id", "namespace_path"],
  },
];

/**
 * Throws `bad_request` unless a condition is on a claim that the issuer controls. A beginning ends with a separator:
 * `repo:acme/site` would be the beginning of `repo:acme/site-of-a-stranger` too.
 */
export function checkConditions({
  issuer,
  kind,
  conditions,
}: Pick<TrustedIssuer, "issuer" | "kind" | "conditions">): void {
  for (const condition of conditions) checkCondition(condition);
  // The user and the client of an id_jag are claims that the hub checks itself.
  if (kind === "id_jag") return;
  if (!conditions.some(({ claim }) => !protocolClaims.has(claim))) {
    throw new HubError(
      "bad_request",
      "Name at least one claim that the issuer controls, such as sub, repository_id or kubernetes.io/namespace.",
    );
  }
  const shared = sharedIssuers.find((one) => one.issuer === issuer);
  if (shared === undefined || conditions.some((condition) => namesOwner(condition, shared))) return;
  throw new HubError(
    "bad_request",
    `${issuer} signs for everyone who has an account there. Add a condition that names yours: sub with a whole repository or project, or ${shared.claims.join(", ")}.`,
  );
}

function checkCondition(condition: ClaimCondition): void {
  const { claim } = condition;
  const text = "value" in condition ? condition.value : condition.prefix;
  if (!/^\S{1,200}$/.test(claim)) {
    throw new HubError("bad_request", "A claim is a name without spaces.");
  }
  if (text === "" || text.length > 500) {
    throw new HubError(
      "bad_request",
      `The condition on ${claim} needs a text of 1 to 500 characters.`,
    );
  }
  if ("value" in condition || /[:/|@#]$/.test(text)) return;
  throw new HubError(
    "bad_request",
    `The beginning of ${claim} must end with one of : / | @ #, because "${text}" is also the beginning of longer names. Use value for an exact one.`,
  );
}

function namesOwner(
  condition: ClaimCondition,
  { owner, claims }: (typeof sharedIssuers)[number],
): boolean {
  if ("value" in condition && claims.includes(condition.claim)) return true;
  if (condition.claim !== "sub") return false;
  return owner.test("value" in condition ? condition.value : condition.prefix);
}
