/** @jsxImportSource hono/jsx */
import { CsrfField } from "./page.tsx";

type ConfirmProps = { action: string; csrfToken: string; name: string; question: string };

/** A button that asks for confirmation, without a script. */
export function Confirm({ action, csrfToken, name, question }: ConfirmProps) {
  return (
    <details class="confirm">
      <summary>{name}</summary>
      <form method="post" action={action}>
        <p>{question}</p>
        <CsrfField token={csrfToken} />
        <button type="submit" class="danger">
          {name}
        </button>
      </form>
    </details>
  );
}
