import { lazy, Suspense, useSyncExternalStore } from "react";
import type { SignInPrompt } from "./sign-in-prompt.ts";

const SignInDialog = lazy(async () => ({
  default: (await import("./sign-in-dialog.tsx")).SignInDialog,
}));

/** Shows the sign-in dialog while a request waits for a session. */
export function SignInGate({ prompt }: { prompt: SignInPrompt }) {
  const email = useSyncExternalStore(prompt.subscribe, prompt.email);
  if (email === null) return null;
  return (
    <Suspense>
      <SignInDialog email={email} onDone={prompt.finish} />
    </Suspense>
  );
}
