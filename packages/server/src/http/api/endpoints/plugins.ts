import {
  type PluginProgress,
  pluginOfferSchema,
  pluginSchema,
  pluginUpdateSchema,
} from "@hub/contract/plugin.ts";
import { z } from "zod";
import { HubError } from "../../../errors.ts";
import * as plugins from "../../../services/plugins.ts";
import { defineEndpoint } from "../endpoint.ts";
import { defineProgressEndpoint } from "../progress-endpoint.ts";

const replaceMember = z.boolean().default(false).meta({
  description: "Lets it take the place of a plugin that came from another source.",
});

const byKey = z.object({ key: z.string().meta({ description: "Key of a plugin." }) });
const eventsNote =
  'A client that accepts `text/event-stream` gets each phase as an event `{"progress": {phase, percent?}}`, and the outcome as the last one: `{"result": …}` or `{"error", "code"}`.';

export const listPlugins = defineEndpoint({
  name: "listPlugins",
  summary: "List the installed plugins",
  answer: z.object({ plugins: z.array(pluginSchema) }),
  handle: async ({ services }) => ({ plugins: await plugins.listPlugins(services) }),
});

export const browsePlugins = defineEndpoint({
  name: "browsePlugins",
  summary: "Browse the catalog",
  description: "Plugins whose key, name or description contain every word of `q`.",
  query: z.strictObject({ q: z.string().default("") }),
  answer: z.object({
    plugins: z.array(
      pluginOfferSchema.extend({
        unavailable_reason: z
          .string()
          .nullable()
          .meta({ description: "Why it cannot be installed here; null where it can." }),
      }),
    ),
    stale_since: z
      .string()
      .nullable()
      .meta({ description: "When the catalog was last seen, where it cannot be had now." }),
  }),
  failures: ["upstream_error"],
  async handle({ services, query }) {
    const { plugins: offers, stale_since } = await plugins.searchPlugins(services, query.q);
    return {
      plugins: offers.map((offer) => ({
        ...offer,
        unavailable_reason: offer.available
          ? null
          : `There is no build of it for this machine; there are: ${offer.platforms.join(", ") || "none"}.`,
      })),
      stale_since,
    };
  },
});

export const showPlugin = defineEndpoint({
  name: "showPlugin",
  summary: "Show an installed plugin",
  params: byKey,
  answer: pluginSchema,
  failures: ["not_found"],
  handle: ({ services, params }) => plugins.showPlugin(services, params.key),
});

export const installPlugin = defineProgressEndpoint({
  name: "installPlugin",
  summary: "Install a plugin by a name of the catalog or an https address",
  description: eventsNote,
  body: z.strictObject({
    source: z.string(),
    allow_downgrade: z.boolean().default(false),
    replace: replaceMember,
  }),
  answer: pluginSchema,
  failures: ["not_found", "plugin_refused", "upstream_error", "conflict"],
  handle({ services, actor, body }, onProgress: (progress: PluginProgress) => void) {
    checkRemote(body.source);
    return plugins.installPlugin(services, actor, body.source, {
      cwd: "/",
      allowDowngrade: body.allow_downgrade,
      replace: body.replace,
      onProgress,
    });
  },
});

export const updatePlugin = defineProgressEndpoint({
  name: "updatePlugin",
  summary: "Update a plugin to the catalog's version",
  description: `\`version\` is the new one. ${eventsNote}`,
  params: byKey,
  body: z.strictObject({ replace: replaceMember }),
  answer: pluginUpdateSchema,
  failures: ["not_found", "plugin_refused", "upstream_error"],
  handle: ({ services, actor, params, body }, onProgress: (progress: PluginProgress) => void) => {
    const input = { cwd: "/", replace: body.replace, onProgress };
    return plugins.updatePlugin(services, actor, params.key, input);
  },
});

export const enablePlugin = defineEndpoint({
  name: "enablePlugin",
  summary: "Let a plugin be called again",
  params: byKey,
  answer: pluginSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => plugins.enablePlugin(services, actor, params.key),
});

export const disablePlugin = defineEndpoint({
  name: "disablePlugin",
  summary: "Put a plugin out of reach; its program stays",
  params: byKey,
  answer: pluginSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => plugins.disablePlugin(services, actor, params.key),
});

export const removePlugin = defineEndpoint({
  name: "removePlugin",
  summary: "Uninstall a plugin",
  description:
    "Its rows stay, and work again once it is back. What its program stored stays as well, unless `data` is `true`; with it, also of a plugin that was removed before.",
  params: byKey,
  query: z.strictObject({
    data: z
      .enum(["true", "false"])
      .default("false")
      .meta({ description: "`true` deletes what its program stored." }),
  }),
  answer: pluginSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params, query }) =>
    plugins.removePlugin(services, actor, params.key, { withData: query.data === "true" }),
});

/** The server's own files are not for whoever manages it from afar to read. */
function checkRemote(source: string): void {
  if (/^[a-z0-9_]+$/.test(source) || /^https:\/\//i.test(source)) return;
  throw new HubError(
    "bad_request",
    "Give a name of the catalog or an https address. Folders and files are installed with `hub plugin install` on the server.",
  );
}
