/** @jsxImportSource hono/jsx */
import { CsrfField } from "../page.tsx";

/** What the script gives to the browser. The ids of keys are base64url. */
export type PasskeyOptions = { challenge: string; keys: readonly string[] } & (
  | { rpId: string; verification: "required" | "preferred" }
  | {
      rp: { id: string; name: string };
      user: { id: string; email: string; name: string };
      algorithms: readonly number[];
    }
);

export type PasskeyFormProps = {
  action: string;
  csrfToken: string;
  /** The sealed challenge, which the form sends back. */
  state: string;
  options: PasskeyOptions;
  label: string;
  destination?: string;
  /** Asks for a name of the new passkey. */
  isNamed?: boolean;
};

const answerFields = [
  "credential_id",
  "client_data",
  "authenticator_data",
  "signature",
  "user_handle",
];
const newFields = ["client_data", "authenticator_data", "public_key", "algorithm"];

/** A form that a browser fills with a passkey. It is hidden without scripts, and in browsers without passkeys. */
export function PasskeyForm({
  action,
  csrfToken,
  state,
  options,
  label,
  destination,
  isNamed = false,
}: PasskeyFormProps) {
  const fields = "user" in options ? newFields : answerFields;
  return (
    <form method="post" action={action} data-passkey={JSON.stringify(options)} hidden>
      <CsrfField token={csrfToken} />
      <input type="hidden" name="state" value={state} />
      {destination !== undefined && <input type="hidden" name="next" value={destination} />}
      {fields.map((name) => (
        <input type="hidden" name={name} value="" />
      ))}
      {isNamed && (
        <div class="field">
          <label for="passkey_name">Name of the passkey</label>
          <input id="passkey_name" name="name" maxlength={60} placeholder="Laptop" required />
        </div>
      )}
      <button type="submit" class="wide quiet">
        {label}
      </button>
      <p class="fault" role="alert" data-fault="" />
    </form>
  );
}
