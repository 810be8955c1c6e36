/** Workflows of one owner. */
export const workflowsMax = 200;
/** Versions that are kept of one workflow. */
export const versionsMax = 100;
/** Secrets of one workflow. */
export const secretsMax = 100;
/** Characters of a secret. */
export const secretCharsMax = 65_536;
/** Of a pinned output. */
export const pinBytesMax = 64 * 1024;
/** Of all pinned outputs of a workflow. */
export const pinsBytesMax = 1024 * 1024;
