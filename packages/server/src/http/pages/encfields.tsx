/** @jsxImportSource hono/jsx */
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { CsrfField, Notice, Page } from "./page.tsx";

export const encryptPath = "/tools/encfields";
export const decryptPath = "/tools/encfields/decrypt";

type ValueProps = {
  signedIn: SignedIn;
  /** The outcome; null before the form is sent. */
  result: string | null;
  fault: string | null;
};

export function EncryptPage({ signedIn, result, fault }: ValueProps) {
  return (
    <Page title="Encrypt a value" signedIn={signedIn} here={encryptPath}>
      <p>
        Creates a token that you can give to a model instead of a password or key. The model can
        pass it on but cannot read it. Only the hub decrypts it, and only in your calls.
      </p>
      {result !== null && (
        <Notice kind="success">
          <p>
            <strong>Your token.</strong> You can paste it anywhere: only you can use it.
          </p>
          <pre class="wrap">{result}</pre>
        </Notice>
      )}
      <ValueForm
        signedIn={signedIn}
        action={encryptPath}
        label="Value"
        button="Encrypt"
        fault={fault}
        help="It is encrypted as it is, with all spaces and line breaks. It is not stored."
      />
    </Page>
  );
}

export function DecryptPage({ signedIn, result, fault }: ValueProps) {
  return (
    <Page title="Decrypt a value" signedIn={signedIn} here={decryptPath}>
      <p>
        Shows the value of one of your <code>hub_enc_…</code> tokens, alone or within a text. Other
        users' tokens cannot be decrypted here.
      </p>
      {result !== null && (
        <Notice kind="info">
          <p>
            <strong>Plain text.</strong> Do not paste it into a chat with a model.
          </p>
          <pre class="wrap">{result}</pre>
        </Notice>
      )}
      <ValueForm
        signedIn={signedIn}
        action={decryptPath}
        label="Token, or text with tokens in it"
        button="Decrypt"
        fault={fault}
        help="It is not stored."
      />
    </Page>
  );
}

type FormProps = {
  signedIn: SignedIn;
  action: string;
  label: string;
  button: string;
  help: string;
  fault: string | null;
};

function ValueForm({ signedIn, action, label, button, help, fault }: FormProps) {
  return (
    <form method="post" action={action} class="card" autocomplete="off">
      <CsrfField token={signedIn.csrfToken} />
      <div class="field">
        <label for="value">{label}</label>
        <textarea
          id="value"
          name="value"
          required
          spellcheck={false}
          autocapitalize="off"
          aria-describedby={fault === null ? "value-help" : "value-help value-error"}
          aria-invalid={fault === null ? undefined : "true"}
        />
        <p class="help" id="value-help">
          {help}
        </p>
        {fault !== null && (
          <p class="fault" id="value-error" role="alert">
            {fault}
          </p>
        )}
      </div>
      <button type="submit">{button}</button>
    </form>
  );
}
