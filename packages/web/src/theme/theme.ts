import { type CSSVariablesResolver, createTheme } from "@mantine/core";

/** Mantine with the colours and sizes of shell.css, so that no seam shows between the pages. */
export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 8, dark: 3 },
  autoContrast: true,
  fontFamily: "var(--font)",
  fontFamilyMonospace: "var(--font-code)",
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  headings: { fontWeight: "650" },
  // Plain records, because extend() of a component would load it with the first page.
  components: {
    Alert: { defaultProps: { variant: "light" } },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none" } },
    Button: { defaultProps: { size: "sm" } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        transitionProps: { duration: 120 },
        closeButtonProps: { "aria-label": "Close" },
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
  };
  return { variables: {}, light: shared, dark: shared };
};
