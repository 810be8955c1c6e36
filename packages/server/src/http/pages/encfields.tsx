/** @jsxImportSource hono/jsx */
import type { SignedIn } from "../../identity/sessions.ts";
import { CsrfField, Notice, Page } from "./page.tsx";

export const encryptPath = "/tools/encfields";
export const decryptPath = "/tools/encfields/decrypt";

type ValueProps = {
  signedIn: SignedIn;
  /** What came of it; null before the form was sent. */
  result: string | null;
  fault: string | null;
};

export function EncryptPage({ signedIn, result, fault }: ValueProps) {
  return (
    <Page title="Encrypt a value" signedIn={signedIn} here={encryptPath}>
      <p>
        Makes a token that you can give to a model in place of a password or key. The model passes
        it on without being able to read it; only the hub opens it, in your calls alone.
      </p>
      {result !== null && (
        <Notice kind="success">
          <p>
            <strong>Your token.</strong> It can be pasted anywhere; it opens for you alone.
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
        help="Taken as it is, line ends and spaces included. It is not stored."
      />
    </Page>
  );
}

export function DecryptPage({ signedIn, result, fault }: ValueProps) {
  return (
    <Page title="Decrypt a value" signedIn={signedIn} here={decryptPath}>
      <p>
        Shows what stands behind a <code>hub_enc_…</code> token of yours, alone or within a text.
        Nobody else's tokens open here.
      </p>
      {result !== null && (
        <Notice kind="info">
          <p>
            <strong>In plain.</strong> Do not paste this into a chat with a model.
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
