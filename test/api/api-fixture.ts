import { defineConnector, wick } from "@hub/connector";

/** A connector that has something to test for every endpoint of the API. */
export const apiFixture = defineConnector({
  key: "fixture",
  name: "Fixture",
  icon: "flask",
  tier: "builtin",
  description: "A connector for tests of the API.",
  config: {
    Token: wick("secret;required"),
    Place: wick("html=places"),
    Watchers: wick("picker=people"),
    Mode: wick("dropdown=plain|signed;default=plain"),
    SigningKey: wick("secret;required;visible_when=mode:signed;regen"),
  },
  generators: { SigningKey: () => "fresh-signing-key" },
  health: ({ config }) =>
    config.Token === "wrong"
      ? { ok: false, reason: `The host refused ${config.Token}.` }
      : { ok: true },
  lookup: ({ source, query }) => [
    { id: "1", name: `${source} like ${query}` },
    ...(query === "all" ? Array.from({ length: 30 }, (_, i) => ({ id: `${i}`, name: "x" })) : []),
  ],
  operations: {
    greet: {
      description: "Greets a person by name.",
      input: { Name: wick("required") },
      run: ({ params, config }) => ({ greeting: `Hello ${params.Name}`, token: config.Token }),
    },
    invite: {
      description: "Invites members.",
      input: { Members: wick("picker=members") },
      run: ({ params }) => ({ invited: params.Members }),
    },
    wait: {
      description: "Waits until it is cancelled.",
      run: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        }),
    },
    ship: {
      description: "Ships to a place.",
      input: { Place: wick("html=connect;required") },
      run: ({ params }) => ({ shipped: params.Place }),
    },
    places: {
      description: "Shows the places to choose from.",
      configOnly: true,
      run: ({ config }) => ({
        html: `<p>${config.Place}</p><button type="button" data-op="__select" data-arg="7">Seven</button>${"-".repeat(config.Place === "wide" ? 2 ** 20 : 0)}`,
      }),
    },
    prune: {
      description: "Deletes old entries.",
      adminOnly: true,
      input: { Arg: wick.int("required"), InputDryRun: wick.bool("") },
      run: ({ params }) => ({ pruned: params.Arg, dry: params.InputDryRun }),
    },
    connect: {
      description: "Returns the input of a widget, and fields to save.",
      configOnly: true,
      input: { Browser: wick(), Days: wick.int() },
      run: ({ params, input }) => ({
        html: `<p>${JSON.stringify({ params, input })}</p>`.padEnd(Number(input.chars ?? 0)),
        fields: { place: input.town ?? null, mode: "mode" in input ? "odd" : "signed" },
      }),
    },
  },
});
