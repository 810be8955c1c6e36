import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";

/** Only a person can set a secret, so a model need not save again. */
export function isAboutSecret({ path, message }: WorkflowProblem): boolean {
  return isAboutSignature(path) || isRead(message);
}

/** Whether a template reads a missing secret. Its step fails until the secret is set. */
export function isAboutReadSecret({ path, message }: WorkflowProblem): boolean {
  return !isAboutSignature(path) && isRead(message);
}

/** The problems, with what a model can do about a secret that is not set. */
export function hintAtPeople(problems: readonly WorkflowProblem[]): WorkflowProblem[] {
  return problems.map((problem) => {
    if (!isAboutSecret(problem)) return problem;
    const hint = isAboutReadSecret(problem) ? readHint : signatureHint;
    // A misspelt name has a hint of its own.
    return { ...problem, hint: problem.hint.replace(/^Set the secret first\./, hint) };
  });
}

const signatureHint =
  "A person sets it on the page of the workflow. The draft can be tested before.";
const readHint =
  "A person sets it on the page of the workflow. The draft can be tested before, but this step fails until then.";

function isAboutSignature(path: string): boolean {
  return path.endsWith("/secret_ref");
}

function isRead(message: string): boolean {
  return message.startsWith("The workflow has no secret");
}
