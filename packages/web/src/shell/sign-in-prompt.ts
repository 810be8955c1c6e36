/** Asks the user who they are. Calls at the same time share one dialog. */
export type SignInPrompt = {
  /** Resolves with false if the user goes back. */
  ask(email: string): Promise<boolean>;
  /** Called by the dialog when the user has shown it, or goes back. */
  finish(isDone: boolean): void;
  /** The e-mail of the user who is asked; null if nothing is. */
  email(): string | null;
  subscribe(onChange: () => void): () => void;
};

export function createSignInPrompt(): SignInPrompt {
  const listeners = new Set<() => void>();
  let waiting: (PromiseWithResolvers<boolean> & { email: string }) | null = null;
  const set = (next: typeof waiting) => {
    waiting = next;
    for (const listener of listeners) listener();
  };
  return {
    ask(email) {
      if (waiting === null) set({ ...Promise.withResolvers<boolean>(), email });
      return waiting?.promise ?? Promise.resolve(true);
    },
    finish(isDone) {
      waiting?.resolve(isDone);
      set(null);
    },
    email: () => waiting?.email ?? null,
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}
