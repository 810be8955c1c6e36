import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brandHosts } from "@hub/contract/brand-hosts.ts";

/** The darkest ground of a logo in the light colours, and the lightest in the dark ones: `--hover` of shell.css. */
const grounds = { light: "#eceef2", dark: "#242b36" };
/** What WCAG 1.4.11 asks of pictures is 3. */
const contrastMin = 3.6;
/** `--ink` of shell.css, for brands without a colour. */
const ink = { light: "#1b1f27", dark: "#e8ebf1" };
/** Parts of a grey differ by less. */
const hueMin = 24;

/** The logos of all brands of the hub in one picture: a path for each name, with its colour in both schemes. */
export async function drawLogos(): Promise<string> {
  const list = fileURLToPath(import.meta.resolve("simple-icons/icons.json"));
  const folder = join(dirname(dirname(list)), "icons");
  const icons: Array<{ slug: string; hex: string }> = await Bun.file(list).json();
  const colours = new Map(icons.map(({ slug, hex }) => [slug, `#${hex.toLowerCase()}`]));
  const paths = await Promise.all(
    Object.keys(brandHosts).map(async (name) => {
      const [, d] = / d="([^"]+)"/.exec(await Bun.file(join(folder, `${name}.svg`)).text()) ?? [];
      const colour = colours.get(name);
      if (d === undefined || colour === undefined) throw new Error(`There is no logo "${name}".`);
      const light = toSeen(colour, "light");
      const dark = toSeen(colour, "dark");
      return `<path id="${name}" data-light="${light}" data-dark="${dark}" d="${d}"/>`;
    }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">\n${paths.join("\n")}\n</svg>\n`;
}

/** The brand's colour as it can be seen on the ground of a scheme. */
function toSeen(colour: string, scheme: "light" | "dark"): string {
  const parts = readParts(colour);
  const isGrey = Math.max(...parts) - Math.min(...parts) < hueMin;
  return isGrey ? ink[scheme] : toReadable(colour, grounds[scheme], scheme === "light" ? 0 : 255);
}

/** A colour, mixed with black (0) or white (255) until it stands out from the ground. */
function toReadable(colour: string, ground: string, end: 0 | 255): string {
  const parts = readParts(colour);
  for (let share = 0; share <= 1; share += 0.04) {
    const mixed = parts.map((part) => Math.round(part + (end - part) * share));
    if (measureContrast(mixed, readParts(ground)) >= contrastMin) {
      return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    }
  }
  return end === 0 ? "#000000" : "#ffffff";
}

function readParts(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/**
 * As WCAG 2 defines it, of two colours by their parts from 0 to 255.
 * @internal
 */
export function measureContrast(one: readonly number[], other: readonly number[]): number {
  const [low = 0, high = 0] = [measureLight(one), measureLight(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function measureLight(parts: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
