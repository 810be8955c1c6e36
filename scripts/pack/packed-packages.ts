/** The packages that `npm run pack` makes, in an order in which each needs only those before it. */
export const packedNames = ["contract", "connector", "web", "server", "cli"] as const;

export type PackedName = (typeof packedNames)[number];

/** Those whose sources are in their package. The app is built: browsers need no source of it. */
export const sourceNames = ["contract", "connector", "server", "cli"] as const;

/** What a package needs and does not import: the server reads the app's files, and Bun runs everything. */
export const neededUnseen: { [name in PackedName]?: Record<string, string> } = {
  server: { "@hub/web": "" },
  cli: { bun: "" },
};

/** The modules that have types in the package, because projects import them, by the names of the exports. */
export const typedExports: { [name in PackedName]?: Record<string, string> } = {
  connector: { ".": "index", "./plugin": "plugin/index" },
  cli: { ".": "run-hub" },
};
