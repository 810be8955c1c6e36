import { defineConnector, UpstreamError, wick } from "@hub/connector";

/** Markup that would run in a page that does not escape it. It sets `window.attacked`. */
const attack = `"><img src=x onerror="window.attacked=1"><script>window.attacked=1</script>`;

/** A connector whose every text is markup. */
export const hostileTexts = defineConnector({
  key: "hostile",
  name: attack,
  icon: attack,
  tier: "builtin",
  description: attack,
  config: {
    Note: wick(`desc=${attack};group=${attack}|${attack}|collapsed;default=${attack}`),
    Mode: wick(`dropdown=${attack}|plain;desc=${attack}`),
    Table: wick(`kvlist=${attack}|b`),
    People: wick("picker=people"),
    Shown: wick("html=show"),
  },
  lookup: () => [{ id: attack, name: attack }],
  health: () => ({ ok: false, reason: attack }),
  operations: {
    show: {
      description: attack,
      configOnly: true,
      run: () => ({ html: `<p title='${attack}'>${attack}</p><p>end of the widget</p>` }),
    },
    echo: {
      name: attack,
      description: attack,
      input: { Text: wick(`desc=${attack};default=${attack}`), Kind: wick(`dropdown=${attack}|b`) },
      run: () => ({ [attack]: attack, list: [attack] }),
    },
    fail: {
      description: attack,
      destructive: true,
      run: () => {
        throw new UpstreamError(attack);
      },
    },
  },
});
