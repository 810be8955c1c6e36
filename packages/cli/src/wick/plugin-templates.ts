/** How the programs are called where this one runs: printed commands must work as printed. */
export type ProgramNames = { wick: string; hub: string };

/** `connector` is the path of `@hub/connector`, for npm; null if the program brings the package. */
type Template = { key: string; connector: string | null; names: ProgramNames };

/** The files of a new plugin, by path. */
export function toTemplates({ key, connector, names }: Template): Record<string, string> {
  const title = toTitle(key);
  return {
    "package.json": `${JSON.stringify(
      {
        name: key.replaceAll("_", "-"),
        version: "0.1.0",
        private: true,
        type: "module",
        main: "src/main.ts",
        ...(connector !== null && {
          scripts: { test: "bun test" },
          dependencies: { "@hub/connector": `file:${connector.replaceAll("\\", "/")}` },
        }),
      },
      null,
      2,
    )}\n`,
    ".gitignore": "node_modules/\ndist/\n*.key\n",
    "README.md": `# ${title}

A plugin for the hub. Run these commands in the parent folder:

    ${names.wick} plugin test ${key}
    ${names.wick} plugin build ${key}    # an archive for this machine, in dist/
    ${names.hub} plugin install dist/${key}-0.1.0-<os>-<arch>.zip
`,
    "src/main.ts": `import { serve } from "@hub/connector/plugin";
import { connector } from "./connector.ts";

await serve(connector);
`,
    "src/connector.ts": `import { defineConnector, wick } from "@hub/connector";

export const connector = defineConnector({
  key: "${key}",
  name: "${title}",
  icon: "plug",
  tier: "plugin",
  description: "Describes this connector to models in one line.",
  config: {
    Greeting: wick("default=Hello;desc=The word to greet with"),
    Token: wick("secret;desc=Never shown to models"),
  },
  operations: {
    greet: {
      description: "Greets a person by name.",
      input: { Who: wick("required;desc=Name of the person to greet") },
      run: ({ config, params }) => ({ text: \`\${config.Greeting}, \${params.Who}!\` }),
    },
  },
  health: ({ config }) =>
    config.Greeting === "" ? { ok: false, reason: "The greeting is empty." } : { ok: true },
});
`,
    "src/connector.test.ts": `import { expect, test } from "bun:test";
import { testOperation } from "@hub/connector";
import { connector } from "./connector.ts";

test("greet uses the row's greeting and the given name", async () => {
  const call = { config: { greeting: "Good morning" }, params: { who: "Ada" } };
  expect(await testOperation(connector, "greet", call)).toEqual({ text: "Good morning, Ada!" });
});
`,
  };
}

/** `code_host` → `Code host` */
function toTitle(key: string): string {
  const words = key.replaceAll("_", " ").trim() || key;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
