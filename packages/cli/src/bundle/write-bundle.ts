/** Run by `find-bundle.ts`: bundles programs of a checkout into a folder. */
import process from "node:process";

const [root = "", out = "", ...mains] = process.argv.slice(2);

await Bun.build({
  entrypoints: mains,
  outdir: out,
  target: "bun",
  // What a command does not need is not loaded.
  splitting: true,
  // Names of classes stay: oidc-provider stores its models under them.
  minify: { whitespace: true, keepNames: true },
  naming: { entry: "[name].[ext]" },
  sourcemap: "linked",
  define: { HUB_CHECKOUT: JSON.stringify(root) },
});
