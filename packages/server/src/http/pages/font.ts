import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fontFile from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2" with {
  type: "file",
};

// In a bundle, the path is relative to the file.
const bytes = readFileSync(resolve(import.meta.dirname, fontFile));
const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 12);

/** Path of the font of all pages: Inter with all weights, Latin letters. It contains a hash of the file. */
export const fontPath = `/assets/inter.${hash}.woff2`;

/** The element that starts the download of the font with that of the styles. Fonts are always asked for without cookies. */
export const fontPreload = {
  rel: "preload",
  href: fontPath,
  as: "font",
  type: "font/woff2",
  crossorigin: "anonymous",
} as const;

type Fallback = { family: string; local: readonly string[]; widthPercent: number };

/** Fonts of systems, with the width of Inter's text in percent of theirs. `--font` names them in this order. */
const fallbacks: readonly Fallback[] = [
  {
    family: "Arial as Inter",
    local: ["Arial", "ArialMT", "Liberation Sans", "Nimbus Sans Regular"],
    widthPercent: 107.4,
  },
  { family: "Roboto as Inter", local: ["Roboto", "Roboto Regular"], widthPercent: 110 },
  { family: "DejaVu as Inter", local: ["DejaVu Sans"], widthPercent: 95 },
];

/** Inter's height above and below the baseline, in percent of the font size. */
const [ascentPercent, descentPercent] = [96.875, 24.12];

/**
 * The `@font-face` rules of all pages. A text is shown at once in a font of the system that is as wide and as high as Inter,
 * so that nothing moves when the font arrives. Letters that are not Latin stay in that font.
 */
export const fontFaces = `@font-face {
  font-family: "Inter Variable";
  font-style: normal;
  font-display: swap;
  font-weight: 100 900;
  src: url("${fontPath}") format("woff2");
  unicode-range: U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329,
    U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD;
}
${fallbacks.map(toFallbackFace).join("\n")}
`;

function toFallbackFace({ family, local, widthPercent }: Fallback): string {
  const toShare = (percent: number) => `${((percent / widthPercent) * 100).toFixed(2)}%`;
  return `@font-face {
  font-family: "${family}";
  src: ${local.map((name) => `local("${name}")`).join(", ")};
  size-adjust: ${widthPercent}%;
  ascent-override: ${toShare(ascentPercent)};
  descent-override: ${toShare(descentPercent)};
  line-gap-override: 0%;
}`;
}

export function answerFont(): Response {
  return new Response(bytes, {
    headers: {
      "Content-Type": "font/woff2",
      "Cache-Control": "public, max-age=31536000, immutable",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
