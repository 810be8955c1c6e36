import { z } from "zod";

/** The id of a workflow: lower-case letters, digits and hyphens, at most 64. It never changes. */
export const workflowIdSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, {
  error: "must be 1 to 64 lower-case letters, digits and hyphens.",
});

/** The id of a node or trigger, or the name of a case, such as `send_mail`: at most 64 characters. */
export const workflowNameSchema = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, {
  error: "must be 1 to 64 of a-z, 0-9 and _, and start with a letter.",
});

/** The name of a secret or an environment value, such as `API_KEY`: at most 64 characters. */
export const workflowVariableSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, {
  error: "must be 1 to 64 letters, digits and _, and not start with a digit.",
});

/** How serious a failure is. */
export const workflowSeveritySchema = z.enum(["info", "warning", "error", "critical"]);
export type WorkflowSeverity = z.infer<typeof workflowSeveritySchema>;
