/** @jsxImportSource hono/jsx */

import type { SignedIn } from "../../identity/browser-sessions.ts";
import { passwordCharsMin } from "../../identity/password-hashes.ts";
import { CsrfField, Field, Notice, Page } from "./page.tsx";

export type PasswordFault = { field: "current" | "next" | "repeated"; fault: string };

type PasswordProps = {
  signedIn: SignedIn;
  destination: string;
  wrong: PasswordFault | null;
};

const inputs = { current: "current", next: "new_password", repeated: "repeated" } as const;

export function PasswordPage(props: PasswordProps) {
  return props.signedIn.hasPassword ? <ChangePage {...props} /> : <NonePage {...props} />;
}

/** A user without a password cannot set one here: a stolen session must not create a first password. */
function NonePage({ signedIn }: Pick<PasswordProps, "signedIn">) {
  return (
    <Page title="You have no password" signedIn={signedIn} narrow>
      <div class="card">
        <p>
          You sign in with single sign-on. To sign in with a password as well, ask an admin for a
          one-time password. The command is <code>hub user password {signedIn.user.email}</code>.
        </p>
      </div>
      <p>
        <a href="/">Back to the start</a>
      </p>
    </Page>
  );
}

function ChangePage({ signedIn, destination, wrong }: PasswordProps) {
  const { mustChangePassword: isFirst } = signedIn;
  const faultOf = (field: string) => (wrong?.field === field ? wrong.fault : null);
  return (
    <Page title={isFirst ? "Choose a password" : "Change password"} signedIn={signedIn} narrow>
      <div class="card">
        {isFirst && (
          <Notice kind="info">
            You signed in with a one-time password. Choose your own password to continue.
          </Notice>
        )}
        {wrong !== null && (
          <Notice kind="error">
            <a
              href={`#${isFirst && wrong.field === "current" ? inputs.next : inputs[wrong.field]}`}
            >
              {wrong.fault}
            </a>
          </Notice>
        )}
        <form method="post" action="/auth/password">
          <CsrfField token={signedIn.csrfToken} />
          <input type="hidden" name="next" value={destination} />
          {/* Password managers save the new password under this name. */}
          <input
            class="away"
            type="text"
            name="username"
            autocomplete="username"
            value={signedIn.user.email}
            readonly
            tabindex={-1}
            aria-label="E-mail"
          />
          {!isFirst && (
            <Field
              name="current"
              label="Current password"
              type="password"
              autocomplete="current-password"
              error={faultOf("current")}
              required
            />
          )}
          <Field
            name="new_password"
            label="New password"
            type="password"
            autocomplete="new-password"
            help={`At least ${passwordCharsMin} characters. A few words are easy to remember.`}
            error={faultOf("next")}
            required
          />
          <Field
            name="repeated"
            label="Repeat the new password"
            type="password"
            autocomplete="new-password"
            error={faultOf("repeated")}
            required
          />
          <button type="submit" class="wide">
            Save password
          </button>
        </form>
      </div>
      <p class="soft">Saving signs you out in all other browsers.</p>
    </Page>
  );
}
