/** Workflows of one owner. */
export const workflowsMax = 200;
/** Versions that are kept of one workflow. */
export const versionsMax = 100;
/** Secrets of one workflow. */
export const secretsMax = 100;
/** Characters of a secret. */
export const secretCharsMax = 65_536;
