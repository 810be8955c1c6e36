import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { drawLogos } from "./draw-logos.ts";

/** The folder under which the server answers the files. */
const publicPath = "/assets/app/";

/** Written beside the files. The server reads it and serves only the files that it names. */
type Manifest = {
  /** The module that starts the app. */
  entry: string;
  /** The modules that the entry imports at once. */
  preloads: string[];
  styles: string[];
  files: string[];
};

type BuildOptions = {
  /** The folder of this package. */
  folder: string;
  out: string;
  /** 9 takes a quarter of a second, 11 several seconds for 5 % less. */
  brotliQuality?: number;
};

/**
 * Bundles the app into a folder: files with a hash in their name, each also compressed as `.br` and
 * `.gz`, and `manifest.json`.
 */
export async function buildWeb({ folder, out, brotliQuality = 9 }: BuildOptions): Promise<void> {
  const [worker] = await bundle(folder, "pages/canvas/layout-worker.ts", {});
  const logos = Buffer.from(await drawLogos());
  const logosName = `logos.${new Bun.CryptoHasher("sha256").update(logos).digest("hex").slice(0, 8)}.svg`;
  const app = await bundle(folder, "main.tsx", {
    LAYOUT_WORKER: JSON.stringify(publicPath + toName(worker)),
    LOGOS: JSON.stringify(publicPath + logosName),
  });
  const manifest: Manifest = { entry: "", preloads: [], styles: [], files: [] };
  mkdirSync(out, { recursive: true });
  const write = (name: string, bytes: Uint8Array) => {
    manifest.files.push(name);
    const quality = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
    writeFileSync(join(out, name), bytes);
    writeFileSync(join(out, `${name}.br`), brotliCompressSync(bytes, { params: quality }));
    writeFileSync(join(out, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  };
  for (const output of [...app, ...(worker === undefined ? [] : [worker])]) {
    const name = toName(output);
    const bytes = new Uint8Array(await output.arrayBuffer());
    if (name.endsWith(".css")) {
      // That of the entry has the styles of all pages. Those of the others repeat them.
      if (!name.startsWith("main.")) continue;
      manifest.styles.push(name);
    }
    if (output.kind === "entry-point" && output !== worker) {
      manifest.entry = name;
      manifest.preloads = findImports(new TextDecoder().decode(bytes));
    }
    write(name, bytes);
  }
  write(logosName, logos);
  writeFileSync(join(out, "manifest.json"), JSON.stringify(manifest));
}

async function bundle(
  folder: string,
  entry: string,
  define: Record<string, string>,
): Promise<Bun.BuildArtifact[]> {
  const naming = "[name].[hash].[ext]";
  const { outputs } = await Bun.build({
    entrypoints: [join(folder, "src", entry)],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    publicPath,
    naming: { entry: naming, chunk: naming, asset: naming },
    plugins: [dropUnusedParts],
    define: { "process.env.NODE_ENV": '"production"', ...define },
  });
  return outputs;
}

/**
 * Lets the bundler drop the parts of the graph library that are not used. They are calls such as
 * `memo(…)`, and it has to keep those, because it does not know that they have no effect.
 */
const dropUnusedParts: Bun.BunPlugin = {
  name: "drop-unused-parts",
  setup(build) {
    build.onLoad({ filter: /@xyflow\/react\/dist\/esm\/index\.js$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const contents = source
        .replace(/^((?:const|var) [\w$]+ = )(?=(?:memo|forwardRef)\()/gm, "$1/* @__PURE__ */ ")
        .replace(/^[\w$]+\.displayName = .*;$/gm, "")
        // The canvas has nodes and edges of its own.
        .replace(/^const builtin(Edge|Node)Types = \{[^}]*\};$/gm, "const builtin$1Types = {};");
      return { contents, loader: "js" };
    });
    // Its transitions could change colours. The graph moves only.
    build.onLoad({ filter: /\/d3-color\/(?:dist|src)\/(?:d3-color\.mjs|index\.js)$/ }, () => ({
      contents: `const none = () => null;\n${colours.map((name) => `export { none as ${name} };`).join("\n")}`,
      loader: "js",
    }));
  },
};

/** What the package for colours exports. */
const colours = ["color", "rgb", "hsl", "lab", "hcl", "lch", "gray", "cubehelix"];

const toName = (output: Bun.BuildArtifact | undefined) => output?.path.replace(/^.*\//, "") ?? "";

/** The names of the modules in the static imports of a bundled module. */
function findImports(code: string): string[] {
  const pattern = new RegExp(`(?:from|import)"${publicPath}([^"/]+\\.js)"`, "g");
  return [...new Set([...code.matchAll(pattern)].map(([, name]) => name ?? ""))];
}
