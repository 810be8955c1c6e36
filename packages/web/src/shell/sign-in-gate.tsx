import { useSyncExternalStore } from "react";
import { useCode } from "../ui/json/use-code.ts";
import type { SignInKind } from "./sign-in-door.ts";
import styles from "./sign-in-gate.module.css";
import type { SignInPrompt } from "./sign-in-prompt.ts";

const loadDialog = () => import("./sign-in-dialog.tsx");

/** Shows the sign-in dialog while a request waits for a session, or for a fresh sign-in. */
export function SignInGate({ prompt, kind }: { prompt: SignInPrompt; kind: SignInKind }) {
  const email = useSyncExternalStore(prompt.subscribe, prompt.email);
  return email === null ? null : <SignIn email={email} kind={kind} onDone={prompt.finish} />;
}

type SignInProps = { email: string; kind: SignInKind; onDone: (isDone: boolean) => void };

function SignIn({ email, kind, onDone }: SignInProps) {
  const { code, hasFailed, retry } = useCode(loadDialog);
  if (code !== null) return <code.SignInDialog email={email} kind={kind} onDone={onDone} />;
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
        You must sign in again, and the sign-in could not be loaded. Check your connection. This
        page keeps what you have entered.
      </p>
      <button type="button" onClick={retry}>
        Retry
      </button>
    </dialog>
  );
}
