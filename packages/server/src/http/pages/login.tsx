/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import { PasskeyForm, type PasskeyFormProps } from "./factors/passkey-form.tsx";
import { CsrfField, Field, Notice, Page } from "./page.tsx";
import { passkeyScript } from "./page-scripts.ts";

type LoginProps = {
  csrfToken: string;
  destination: string;
  email: string;
  fault: string | null;
  /** Name and link of the single sign-on; null if it is not set up. */
  singleSignOn: { name: string; href: string } | null;
  /** Null if no user has a passkey, or this address has none. */
  passkey: Pick<PasskeyFormProps, "state" | "options"> | null;
};

export function LoginPage({
  csrfToken,
  destination,
  email,
  fault,
  singleSignOn,
  passkey,
}: LoginProps) {
  return (
    <Page title="Sign in" signedIn={null} narrow>
      <div class="card">
        {fault !== null && <Notice kind="error">{fault}</Notice>}
        {singleSignOn !== null && (
          <>
            <a class="button wide" href={singleSignOn.href}>
              Continue with {singleSignOn.name}
            </a>
            <div class="or">or with a password</div>
          </>
        )}
        <form method="post" action="/auth/login">
          <CsrfField token={csrfToken} />
          <input type="hidden" name="next" value={destination} />
          <Field
            name="email"
            label="E-mail"
            type="email"
            autocomplete="username"
            value={email}
            required
            autofocus={email === ""}
          />
          <Field
            name="password"
            label="Password"
            type="password"
            autocomplete="current-password"
            required
            autofocus={email !== ""}
          />
          <button type="submit" class="wide">
            Sign in
          </button>
        </form>
        {passkey !== null && (
          <>
            <PasskeyForm
              {...passkey}
              action="/auth/passkey"
              csrfToken={csrfToken}
              destination={destination}
              label="Sign in with a passkey"
            />
            <script>{raw(passkeyScript)}</script>
          </>
        )}
      </div>
      <p class="soft">
        No account or no password? Ask an admin of this hub. The command{" "}
        <code>hub user password</code> creates a one-time password.
      </p>
    </Page>
  );
}
