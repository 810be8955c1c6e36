/** @jsxImportSource hono/jsx */
import { CsrfField, Field, Notice, Page } from "./page.tsx";

type LoginProps = {
  csrfToken: string;
  destination: string;
  email: string;
  fault: string | null;
  /** Name and link of the single sign-on; null if it is not set up. */
  singleSignOn: { name: string; href: string } | null;
};

export function LoginPage({ csrfToken, destination, email, fault, singleSignOn }: LoginProps) {
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
      </div>
      <p class="soft">
        No account or no password? Ask an admin of this hub. The command{" "}
        <code>hub user password</code> creates a one-time password.
      </p>
    </Page>
  );
}
