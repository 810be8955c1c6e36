/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { SignedIn } from "../../../identity/browser-sessions.ts";
import { CsrfField, Field, Notice, Page } from "../page.tsx";
import { passkeyScript } from "../page-scripts.ts";
import { PasskeyForm, type PasskeyFormProps } from "./passkey-form.tsx";

type Passkey = Pick<PasskeyFormProps, "state" | "options">;

type GiveFactorProps = {
  action: string;
  csrfToken: string;
  fault: string | null;
  /** Null if the user has no passkey, or this address has none. */
  passkey: Passkey | null;
  hasApp: boolean;
};

/** The step after the password. */
export function GiveFactorPage(props: GiveFactorProps) {
  return (
    <Page title="Second factor" signedIn={null} narrow>
      <div class="card">
        {props.fault !== null && <Notice kind="error">{props.fault}</Notice>}
        <FactorForms {...props} label="Sign in" />
      </div>
      <p class="soft">
        Lost it? Enter a recovery code, or ask an admin to remove your second factors.{" "}
        <a href="/auth/login">Sign in as another user</a>.
      </p>
    </Page>
  );
}

type FreshProps = Omit<GiveFactorProps, "hasApp"> & {
  signedIn: SignedIn;
  destination: string;
  /** What the user is asked for. */
  asks: "factor" | "password" | "provider";
  hasApp: boolean;
  singleSignOn: { name: string; href: string } | null;
};

/** The page on which the user of a session proves again who they are. */
export function FreshPage({ signedIn, destination, asks, singleSignOn, ...props }: FreshProps) {
  const { csrfToken, action, fault } = props;
  return (
    <Page title="Confirm that it is you" signedIn={signedIn} narrow>
      <div class="card">
        {fault !== null && <Notice kind="error">{fault}</Notice>}
        <p>What you want to do needs a fresh sign-in as {signedIn.user.email}.</p>
        {asks === "factor" && <FactorForms {...props} destination={destination} label="Confirm" />}
        {asks === "password" && (
          <form method="post" action={action}>
            <CsrfField token={csrfToken} />
            <input type="hidden" name="next" value={destination} />
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
            <Field
              name="password"
              label="Password"
              type="password"
              autocomplete="current-password"
              required
              autofocus
            />
            <button type="submit" class="wide">
              Confirm
            </button>
          </form>
        )}
        {singleSignOn !== null && (
          <a class="button wide quiet" href={singleSignOn.href}>
            Continue with {singleSignOn.name}
          </a>
        )}
        {asks === "provider" && singleSignOn === null && (
          <p>You have no password on this hub. Sign out and sign in again.</p>
        )}
      </div>
    </Page>
  );
}

type FormsProps = Pick<GiveFactorProps, "action" | "csrfToken" | "passkey" | "hasApp"> & {
  label: string;
  destination?: string;
};

function FactorForms({ action, csrfToken, passkey, hasApp, label, destination }: FormsProps) {
  return (
    <>
      {passkey !== null && (
        <PasskeyForm
          {...passkey}
          action={action}
          csrfToken={csrfToken}
          label="Use a passkey"
          {...(destination !== undefined && { destination })}
        />
      )}
      <form method="post" action={action}>
        <CsrfField token={csrfToken} />
        {destination !== undefined && <input type="hidden" name="next" value={destination} />}
        <Field
          name="code"
          label={hasApp ? "Code of your app, or a recovery code" : "Recovery code"}
          autocomplete="one-time-code"
          required
          autofocus={passkey === null}
        />
        <button type="submit" class="wide">
          {label}
        </button>
      </form>
      {passkey !== null && <script>{raw(passkeyScript)}</script>}
    </>
  );
}
