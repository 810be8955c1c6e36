import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type VariantColorsResolver,
} from "@mantine/core";

/** Text and ground of filled buttons, which differ enough in both schemes. */
const fills: Record<string, string> = { indigo: "var(--accent)" };
/** Text and ground of alerts, badges and light buttons. */
const tints: Record<string, { color: string; background: string }> = {
  indigo: { color: "var(--accent)", background: "var(--info-ground)" },
  blue: { color: "var(--accent)", background: "var(--info-ground)" },
  green: { color: "var(--good)", background: "var(--good-ground)" },
  yellow: { color: "var(--warn)", background: "var(--warn-ground)" },
  red: { color: "var(--bad)", background: "var(--bad-ground)" },
  gray: { color: "var(--soft)", background: "var(--hover)" },
};

/** `variant="danger"`: each button of what cannot be undone, or stops what others use. */
const danger = {
  color: "var(--bad)",
  background: "var(--bad-ground)",
  hover: "color-mix(in srgb, var(--bad-ground) 80%, var(--bad))",
  border: "1px solid color-mix(in srgb, var(--bad) 30%, transparent)",
};

const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  if (input.variant === "danger") return { ...colors, ...danger };
  const color = input.color ?? input.theme.primaryColor;
  const tint = tints[color];
  if (input.variant === "subtle" && tint !== undefined) {
    return { ...colors, color: tint.color, hover: tint.background };
  }
  if (input.variant === "light" && tint !== undefined) {
    const hover = `color-mix(in srgb, ${tint.background} 60%, var(--card))`;
    return { ...colors, ...tint, hover };
  }
  const background = fills[color];
  if (input.variant !== "filled" || background === undefined) return colors;
  const hover = `color-mix(in srgb, ${background} 88%, var(--ink))`;
  return { ...colors, background, hover, color: "var(--accent-ink)" };
};

/** Mantine with the colours and sizes of shell.css, so that no seam shows between the pages. */
export const theme = createTheme({
  primaryColor: "indigo",
  // From text to ground, as in the dark colours of shell.css.
  colors: {
    dark: [
      "#e8ebf1",
      "#c9d0db",
      "#a3acbb",
      "#7d8798",
      "#4a5363",
      "#343c49",
      "#242b36",
      "#1b2029",
      "#151920",
      "#12151b",
    ],
  },
  primaryShade: { light: 8, dark: 3 },
  variantColorResolver,
  fontFamily: "var(--font)",
  fontFamilyMonospace: "var(--font-code)",
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  // The steps of shell.css. Small controls have the size of what is beside the text.
  fontSizes: {
    xs: "var(--text-small)",
    sm: "var(--text-body)",
    md: "var(--text-body)",
    lg: "var(--text-head)",
    xl: "var(--text-title)",
  },
  fontWeights: { regular: "400", medium: "var(--weight-strong)", bold: "var(--weight-head)" },
  // Plain records, because extend() of a component would load it with the first page.
  components: {
    Alert: { defaultProps: { variant: "light" } },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none" } },
    // Named, so that the filled ones can be counted: each page has one.
    Button: { defaultProps: { size: "sm", variant: "filled" } },
    // The help stands below the field, so that fields line up with those beside them.
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ["label", "input", "error", "description"] },
    },
    Modal: {
      defaultProps: {
        // What grows in it while it loads moves nothing above.
        yOffset: "8vh",
        overlayProps: { backgroundOpacity: 0.45 },
        transitionProps: { duration: 120 },
        closeButtonProps: { "aria-label": "Close" },
        // A second banner of the page otherwise.
        attributes: { header: { role: "none" } },
      },
    },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { "aria-label": "Show the password" } },
    },
    Select: { defaultProps: { checkIconPosition: "right", allowDeselect: false } },
    Skeleton: { defaultProps: { radius: "sm" } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 250 } },
  },
});

export const cssVariablesResolver: CSSVariablesResolver = () => {
  const shared = {
    "--mantine-color-body": "var(--card)",
    "--mantine-color-text": "var(--ink)",
    "--mantine-color-dimmed": "var(--soft)",
    "--mantine-color-placeholder": "var(--soft)",
    "--mantine-color-default": "var(--card)",
    "--mantine-color-default-border": "var(--line)",
    "--mantine-color-default-hover": "var(--hover)",
    "--mantine-color-anchor": "var(--accent)",
    "--mantine-color-error": "var(--bad)",
    "--mantine-color-indigo-filled": "var(--accent)",
    "--mantine-color-indigo-text": "var(--accent)",
    "--mantine-color-indigo-light-color": "var(--accent)",
  };
  // The shades that Mantine gives to the edges of inputs.
  const light = { ...shared, "--mantine-color-gray-4": "var(--edge)" };
  const dark = { ...shared, "--mantine-color-dark-4": "var(--edge)" };
  return { variables: {}, light, dark };
};
