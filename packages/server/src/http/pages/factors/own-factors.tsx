/** @jsxImportSource hono/jsx */
import type { SecondFactors } from "@hub/contract/second-factor.ts";
import type { SignedIn } from "../../../identity/browser-sessions.ts";
import { Confirm } from "../confirm.tsx";
import { CsrfField, Notice, Page } from "../page.tsx";
import { Time } from "../time.tsx";

export const ownFactorsPath = "/profile/second-factor";

type OwnFactorsProps = {
  signedIn: SignedIn;
  factors: SecondFactors;
  fault: string | null;
  /** Why this address has no passkeys; null if it has. */
  noPasskeys: string | null;
};

const kindNames = { totp: "App for codes", passkey: "Passkey" } as const;

/** The user's second factors. Each change asks for a fresh sign-in first. */
export function OwnFactorsPage({ signedIn, factors, fault, noPasskeys }: OwnFactorsProps) {
  const { csrfToken, hasPassword } = signedIn;
  return (
    <Page title="Second factor" signedIn={signedIn} here={ownFactorsPath}>
      {fault !== null && <Notice kind="error">{fault}</Notice>}
      <p>
        With a second factor, your password alone is not enough to sign in. Before a change the hub
        asks you to confirm that it is you.
      </p>
      <section class="card" aria-labelledby="factors">
        <h2 id="factors">Your second factors</h2>
        {factors.factors.length === 0 ? (
          <p class="soft">You have none.</p>
        ) : (
          <FactorTable factors={factors.factors} csrfToken={csrfToken} />
        )}
        {hasPassword ? (
          <div class="actions">
            <a class="button" href={`${ownFactorsPath}/add`}>
              Add a second factor
            </a>
          </div>
        ) : (
          <p class="soft">
            You sign in with single sign-on and have no password here. Set up the second factor
            there.
          </p>
        )}
        {noPasskeys !== null && <p class="soft">{noPasskeys}</p>}
      </section>
      {factors.factors.length > 0 && (
        <section class="card" aria-labelledby="codes">
          <h2 id="codes">Recovery codes</h2>
          <p>
            {factors.recovery_codes_left} of your recovery codes{" "}
            {factors.recovery_codes_left === 1 ? "is" : "are"} left. Each signs you in once if you
            lose your second factor.
          </p>
          <form method="post" action={`${ownFactorsPath}/codes`}>
            <CsrfField token={csrfToken} />
            <button type="submit" class="quiet">
              Make new codes
            </button>
          </form>
        </section>
      )}
    </Page>
  );
}

function FactorTable({
  factors,
  csrfToken,
}: Pick<SecondFactors, "factors"> & { csrfToken: string }) {
  return (
    <table class="stack">
      <thead>
        <tr>
          <th>Name</th>
          <th>Kind</th>
          <th>Added</th>
          <th>Last used</th>
          <th>
            <span class="hub-unseen">Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {factors.map(({ id, name, kind, created_at, last_used_at }) => (
          <tr>
            <td data-label="Name">{name}</td>
            <td data-label="Kind">{kindNames[kind]}</td>
            <td data-label="Added">
              <Time at={created_at} />
            </td>
            <td data-label="Last used">
              <Time at={last_used_at} />
            </td>
            <td>
              <Confirm
                action={`${ownFactorsPath}/${id}/remove`}
                csrfToken={csrfToken}
                name="Remove"
                question="It cannot be used to sign in any more."
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
