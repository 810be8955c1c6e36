import { defineConnector, wick } from "@hub/connector";

const people = ["Ada", "Alan", "Barbara", "Edsger", "Grace"].map((name) => ({
  id: name.toLowerCase(),
  name,
}));

const config = {
  BaseURL: wick("url;required;desc=Where it answers"),
  Note: wick("desc=Free text;default=a seed"),
  Footer: wick("textarea"),
  Mode: wick("dropdown=plain|signed|both;default=plain"),
  SigningName: wick("visible_when=mode:signed|both"),
  PlainName: wick("visible_when=mode:plain"),
  DryRun: wick.bool("desc=Only say what would be done"),
  DryNote: wick("visible_when=dry_run:true"),
  MaxRetries: wick.int("default=3"),
  Ratio: wick.float(),
  Token: wick("secret;required"),
  HookSecret: wick("secret;regen"),
  Contact: wick("email"),
  LabelColor: wick("color"),
  Since: wick("date"),
  NotBefore: wick("datetime"),
  Payload: wick.json(),
  Headers: wick("kvlist=name|value"),
  Labels: wick("kvlist"),
  Watchers: wick("picker=people"),
  Place: wick("html=places"),
  Board: wick("html=board;group=Board"),
  Markup: wick("hidden"),
  InstanceID: wick("locked;default=fixed-1;group=Advanced|For experts|collapsed"),
  ProxyHost: wick("group=Proxy|How to get out"),
  ProxyPort: wick.int("group=Proxy"),
} as const;

/** A connector with every widget and modifier, and operations to test. */
export const formConnector = defineConnector({
  key: "form",
  name: "Form",
  icon: "flask",
  tier: "builtin",
  description: "Has every widget and modifier.",
  config,
  generators: { HookSecret: () => "generated-secret" },
  health: ({ config: { Token } }) =>
    Token === "wrong" ? { ok: false, reason: "The host refused the token." } : { ok: true },
  lookup: async ({ query }) => {
    // The answer to the first letter comes after that to the whole word.
    if (query === "a") await Bun.sleep(1500);
    return people.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()));
  },
  operations: {
    places: {
      description: "Shows the places to choose from.",
      configOnly: true,
      run: ({ config: { Place } }) => ({
        html: `<style>p { letter-spacing: 1px }</style><p>Chosen: ${Place ?? "none"}</p>
          <button data-op="__select" data-arg="7">Seven</button>
          <form action="/stolen"><input name="days" value="3" aria-label="Days"><input type="checkbox" name="dry_run" aria-label="Dry run">
          <input type="radio" name="size" value="small" aria-label="Small"><input type="radio" name="size" value="large" aria-label="Large" checked>
          <select name="town" aria-label="Town"><option>Oslo</option><option selected>Bergen</option></select>
          <textarea name="note" aria-label="Note">hello</textarea>
          <button data-op="show_inputs" data-arg="5">Send</button></form>
          <span data-op="__select" data-arg="9">Nine</span>`,
      }),
    },
    show_inputs: {
      description: "Shows what a click sent.",
      configOnly: true,
      run: ({ input }) => ({
        html: `<p id="sent">${JSON.stringify(input).replaceAll("<", "&lt;")}</p>`,
      }),
    },
    board: {
      description: "Shows the markup of the row.",
      configOnly: true,
      run: ({ config: { Markup } }) => ({ html: Markup ?? "<p>Nothing yet</p>" }),
    },
    echo: {
      description: "Returns its inputs.",
      input: {
        Text: wick("required;desc=What to return"),
        Times: wick.int("default=1"),
        Loud: wick.bool(),
        Extra: wick.json(),
        Kind: wick("dropdown=short|long;default=short"),
        Detail: wick("visible_when=kind:long"),
        Members: wick("picker=people"),
      },
      run: ({ params }) => ({ ...params }),
    },
    book: {
      description: "Books a place.",
      input: {
        Town: wick("html=towns;required;mode=fixed"),
        Nights: wick.int("mode=expression"),
      },
      run: ({ params }) => ({ ...params }),
    },
    towns: {
      description: "Shows the towns to choose from.",
      configOnly: true,
      input: { Browser: wick() },
      run: ({ params: { Browser } }) => ({
        html: `<p>Before: ${Browser || "nothing"}</p>
          <button data-op="__select" data-arg="oslo">Oslo</button>
          <input type="checkbox" name="dry_run" aria-label="Dry run"><input name="days" value="3" aria-label="Days">
          <button data-op="show_inputs" data-arg="5">Send</button><button data-op="fail">Fail</button>
          <script>window.ran = "input widget"</script><img alt="" src=x onerror="window.ran = 'image'">`,
      }),
    },
    fail: {
      description: "Fails.",
      configOnly: true,
      run: () => {
        throw new Error("The towns are closed.");
      },
    },
    big: {
      description: "Returns as many characters as asked for.",
      input: { Chars: wick.int("required") },
      run: ({ params: { Chars } }) => ({
        text: "x".repeat(Number(Chars) / 2),
        lines: Array.from({ length: Number(Chars) / 100 }, (_, at) => ({
          at,
          text: "y".repeat(30),
        })),
      }),
    },
    wipe: {
      description: "Deletes everything.",
      destructive: true,
      run: () => ({ wiped: true }),
    },
  },
});
