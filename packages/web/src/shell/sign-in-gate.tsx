import { useSyncExternalStore } from "react";
import { useCode } from "../ui/json/use-code.ts";
import styles from "./sign-in-gate.module.css";
import type { SignInPrompt } from "./sign-in-prompt.ts";

const loadDialog = () => import("./sign-in-dialog.tsx");

/** Shows the sign-in dialog while a request waits for a session. */
export function SignInGate({ prompt }: { prompt: SignInPrompt }) {
  const email = useSyncExternalStore(prompt.subscribe, prompt.email);
  return email === null ? null : <SignIn email={email} onDone={prompt.finish} />;
}

function SignIn({ email, onDone }: { email: string; onDone: () => void }) {
  const { code, hasFailed, retry } = useCode(loadDialog);
  if (code !== null) return <code.SignInDialog email={email} onDone={onDone} />;
  if (!hasFailed) return null;
  return (
    <dialog
      className={styles.dialog}
      aria-label="Sign in again"
      ref={(element) => {
        if (element?.open === false) element.showModal();
      }}
      onCancel={(event) => event.preventDefault()}
    >
      <p role="alert">
        Your session has ended, and the sign-in could not be loaded. Check your connection. This
        page keeps what you have entered.
      </p>
      <button type="button" onClick={retry}>
        Retry
      </button>
    </dialog>
  );
}
