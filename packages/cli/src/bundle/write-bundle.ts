/** Run by `find-bundle.ts`: bundles programs of a checkout into a folder. */
import process from "node:process";

const [root = "", out = "", ...mains] = process.argv.slice(2);

await Bun.build({
  entrypoints: mains,
  outdir: out,
  target: "bun",
  // A command loads only the parts that it needs.
  splitting: true,
  // Names of classes stay: oidc-provider stores its models under them.
  minify: { whitespace: true, keepNames: true },
  naming: { entry: "[name].[ext]" },
  sourcemap: "linked",
  define: { HUB_CHECKOUT: JSON.stringify(root) },
});
