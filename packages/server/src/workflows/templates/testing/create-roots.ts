import type { TemplateRoots } from "../render-context.ts";

/** Roots for tests: the secrets `KEY` and `OTHER` are set. */
export function createRoots(roots: Partial<TemplateRoots> = {}): TemplateRoots {
  const isSet = (name: string) => name === "KEY" || name === "OTHER";
  return {
    Event: {},
    Node: {},
    Env: {},
    Run: { id: "run1" },
    Workflow: { id: "flow" },
    secret: (name) => (isSet(name) ? `hub_enc_${name}` : null),
    basicCredentials: (user, name) => (isSet(name) ? `hub_enc_basic_${user}_${name}` : null),
    ...roots,
  };
}
