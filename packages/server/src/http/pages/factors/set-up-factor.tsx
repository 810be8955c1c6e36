/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { SignedIn } from "../../../identity/browser-sessions.ts";
import { toTotpUri, toTypedSecret } from "../../../identity/second-factor/totp.ts";
import { CsrfField, Field, Notice, Page } from "../page.tsx";
import { copyScript, passkeyScript } from "../page-scripts.ts";
import { PasskeyForm, type PasskeyFormProps } from "./passkey-form.tsx";
import { QrCode } from "./qr-code.tsx";

type SetUpProps = {
  /** Null while the password alone was given. */
  signedIn: SignedIn | null;
  csrfToken: string;
  email: string;
  /** The hub's host, as apps show it. */
  host: string;
  /** Where the forms go. */
  actions: { app: string; passkey: string };
  fault: string | null;
  /** Null for a user who has an app. */
  app: { secret: string; state: string } | null;
  /** Null if browsers make no passkeys for this address. */
  passkey: Pick<PasskeyFormProps, "state" | "options"> | null;
};

/** Adds a second factor: in a session, or at a sign-in that demands one. */
export function SetUpFactorPage({
  signedIn,
  csrfToken,
  email,
  host,
  actions,
  fault,
  app,
  passkey,
}: SetUpProps) {
  return (
    <Page title="Add a second factor" signedIn={signedIn} narrow>
      {signedIn === null && (
        <p>This hub asks for a second factor. Set one up to go on; it takes a minute.</p>
      )}
      {fault !== null && <Notice kind="error">{fault}</Notice>}
      {passkey !== null && (
        <section class="card" aria-labelledby="passkey">
          <h2 id="passkey">A passkey</h2>
          <p class="soft">
            A key of this device, of your phone or of a security key. It cannot be given to a false
            site.
          </p>
          <PasskeyForm
            {...passkey}
            action={actions.passkey}
            csrfToken={csrfToken}
            label="Add a passkey"
            isNamed
          />
        </section>
      )}
      {app !== null && (
        <section class="card" aria-labelledby="app">
          <h2 id="app">An app for codes</h2>
          <p class="soft">
            Scan this with an app such as the ones of your phone's maker or of a password manager.
          </p>
          <QrCode
            text={toTotpUri({ secret: app.secret, hub: `Hub ${host}`, email })}
            label="QR code for the app"
          />
          <details>
            <summary>Type it instead</summary>
            <pre class="wrap">{toTypedSecret(app.secret)}</pre>
          </details>
          <form method="post" action={actions.app}>
            <CsrfField token={csrfToken} />
            <input type="hidden" name="state" value={app.state} />
            <Field
              name="code"
              label="Code that the app shows"
              autocomplete="one-time-code"
              required
            />
            <button type="submit" class="wide">
              Add the app
            </button>
          </form>
        </section>
      )}
      {passkey !== null && <script>{raw(passkeyScript)}</script>}
    </Page>
  );
}

type CodesProps = { signedIn: SignedIn | null; codes: readonly string[]; destination: string };

/** Recovery codes, once. */
export function RecoveryCodesPage({ signedIn, codes, destination }: CodesProps) {
  return (
    <Page title="Your recovery codes" signedIn={signedIn} narrow>
      <Notice kind="success">
        <p>
          <strong>Keep these codes now: they are not shown again.</strong> Each signs you in once if
          you lose your second factor. Print them, or put them into a password manager.
        </p>
        <pre class="wrap" data-copy="the recovery codes">
          {codes.join("\n")}
        </pre>
      </Notice>
      <a class="button wide" href={destination}>
        I have kept them
      </a>
      <script>{raw(copyScript)}</script>
    </Page>
  );
}
