/** Asks the user to sign in again. Calls at the same time share one dialog. */
export type SignInPrompt = {
  ask(email: string): Promise<void>;
  /** Called by the dialog when the browser has a session again. */
  finish(): void;
  /** The e-mail of the user who must sign in; null if no sign-in is needed. */
  email(): string | null;
  subscribe(onChange: () => void): () => void;
};

export function createSignInPrompt(): SignInPrompt {
  const listeners = new Set<() => void>();
  let waiting: (PromiseWithResolvers<void> & { email: string }) | null = null;
  const set = (next: typeof waiting) => {
    waiting = next;
    for (const listener of listeners) listener();
  };
  return {
    ask(email) {
      if (waiting === null) set({ ...Promise.withResolvers<void>(), email });
      return waiting?.promise ?? Promise.resolve();
    },
    finish() {
      waiting?.resolve();
      set(null);
    },
    email: () => waiting?.email ?? null,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}
