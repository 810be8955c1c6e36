/** What a new file with the settings of a service says. */
export const settingsText = `# Settings of the service: one NAME=value a line. See "hub setting list" and "hub help settings".
# HUB_BASE_URL=https://hub.example.com
# HUB_HOST=127.0.0.1
# HUB_PORT=7420
`;
