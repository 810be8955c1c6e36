/** @jsxImportSource hono/jsx */
import { passwordCharsMin } from "../../identity/passwords.ts";
import type { SignedIn } from "../../identity/sessions.ts";
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

/** Who has no password cannot name the current one, and a stolen session must not make a first one. */
function NonePage({ signedIn }: Pick<PasswordProps, "signedIn">) {
  return (
    <Page title="You have no password" signedIn={signedIn} narrow>
      <div class="card">
        <p>
          You sign in by single sign-on. To sign in with a password as well, ask an admin for a
          one-time password, which they make by <code>hub user password {signedIn.user.email}</code>
          .
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
            You signed in with a one-time password. Choose one of your own to go on.
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
          {/* For password managers, which file the new password under it. */}
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
            label="New password, once more"
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
      <p class="soft">Saving it signs you out everywhere else.</p>
    </Page>
  );
}
