import {
  type PluginProgress,
  pluginFenceSchema,
  pluginOfferSchema,
  pluginSchema,
  pluginUpdateSchema,
} from "@hub/contract/plugin.ts";
import { pluginArchiveBytesMax } from "@hub/contract/plugin-limits.ts";
import { thinPlatform } from "@hub/contract/plugin-manifest.ts";
import { z } from "zod";
import { HubError } from "../../../errors.ts";
import * as plugins from "../../../services/plugins/manage-plugins.ts";
import { defineEndpoint } from "../endpoint.ts";
import { defineProgressEndpoint } from "../progress-endpoint.ts";
import { defineUploadEndpoint } from "../upload-endpoint.ts";

const replaceMember = z.boolean().default(false).meta({
  description: "Allows it to replace a plugin that was installed from another source.",
});

const byKey = z.object({ key: z.string().meta({ description: "Key of a plugin." }) });
const eventsNote =
  'A client that accepts `text/event-stream` gets each phase as an event `{"progress": {phase, percent?}}` and the outcome as the last one: `{"result": …}` or `{"error", "code"}`.';

export const listPlugins = defineEndpoint({
  name: "listPlugins",
  summary: "List the installed plugins",
  answer: z.object({ plugins: z.array(pluginSchema), fence: pluginFenceSchema }),
  handle: async ({ services }) => ({
    plugins: await plugins.listPlugins(services),
    fence: plugins.findPluginFence(services),
  }),
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
          .meta({ description: "Why it cannot be installed here; null if it can." }),
      }),
    ),
    stale_since: z.string().nullable().meta({
      description: "When the shown catalog was loaded, if it cannot be loaded now; otherwise null.",
    }),
    no_catalog: z.string().nullable().meta({
      description:
        "What to do if this hub has no catalog, as a checkout before `npm run plugins`; otherwise null.",
    }),
  }),
  failures: ["not_found", "plugin_refused", "upstream_error"],
  async handle({ services, query }) {
    const absence = await services.plugins.findCatalogAbsence();
    if (absence !== null) return { plugins: [], stale_since: null, no_catalog: absence };
    const { plugins: offers, stale_since } = await plugins.searchPlugins(services, query.q);
    return {
      plugins: offers.map((offer) => ({
        ...offer,
        unavailable_reason: offer.available ? null : describeAbsence(offer.platforms),
      })),
      stale_since,
      no_catalog: null,
    };
  },
});

function describeAbsence(platforms: readonly string[]): string {
  const names = platforms.map((name) =>
    name === thinPlatform ? "thin for other versions of the hub" : name,
  );
  return `It has no build for this machine. Available builds: ${names.join(", ") || "none"}.`;
}

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
  summary: "Install a plugin by its name in the catalog or an https URL",
  description: eventsNote,
  body: z.strictObject({
    source: z.string(),
    allow_downgrade: z.boolean().default(false),
    replace: replaceMember,
  }),
  answer: pluginSchema,
  failures: ["not_found", "plugin_refused", "upstream_error", "conflict", "rate_limited"],
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

const flag = z.enum(["true", "false"]).default("false");

export const uploadPlugin = defineUploadEndpoint({
  name: "uploadPlugin",
  summary: "Install a plugin from an archive in the body",
  description: `The body is a .zip or .tar.gz file of at most ${pluginArchiveBytesMax / 1024 ** 2} MiB. ${eventsNote} The first event is sent when the file has arrived.`,
  query: z.strictObject({
    name: z.string().default("").meta({ description: "The name of the file, for messages." }),
    allow_downgrade: flag.meta({ description: "`true` allows a lower version." }),
    replace: flag.meta({
      description:
        "`true` allows it to replace an installed plugin. Otherwise only an archive that the same trusted key has signed may replace it.",
    }),
  }),
  fileTypes: ["application/zip", "application/gzip", "application/octet-stream"],
  bytesMax: pluginArchiveBytesMax,
  answer: pluginSchema,
  failures: [
    "invalid_request",
    "body_too_large",
    "body_too_slow",
    "rate_limited",
    "unsupported_media_type",
    "plugin_refused",
    "conflict",
  ],
  handle: ({ services, actor, query }, chunks, onProgress: (progress: PluginProgress) => void) =>
    plugins.installPlugin(
      services,
      actor,
      { name: toFileName(query.name), chunks },
      {
        cwd: "/",
        allowDowngrade: query.allow_downgrade === "true",
        replace: query.replace === "true",
        onProgress,
      },
    ),
});

export const updatePlugin = defineProgressEndpoint({
  name: "updatePlugin",
  summary: "Update a plugin to the catalog's version",
  description: `\`version\` is the new one. ${eventsNote}`,
  params: byKey,
  body: z.strictObject({ replace: replaceMember }),
  answer: pluginUpdateSchema,
  failures: ["not_found", "plugin_refused", "upstream_error", "conflict", "rate_limited"],
  handle: ({ services, actor, params, body }, onProgress: (progress: PluginProgress) => void) => {
    const input = { cwd: "/", replace: body.replace, onProgress };
    return plugins.updatePlugin(services, actor, params.key, input);
  },
});

export const enablePlugin = defineEndpoint({
  name: "enablePlugin",
  summary: "Enable a plugin",
  params: byKey,
  answer: pluginSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => plugins.enablePlugin(services, actor, params.key),
});

export const disablePlugin = defineEndpoint({
  name: "disablePlugin",
  needsSpace: false,
  summary: "Disable a plugin; its program stays on disk",
  params: byKey,
  answer: pluginSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => plugins.disablePlugin(services, actor, params.key),
});

export const removePlugin = defineEndpoint({
  name: "removePlugin",
  summary: "Uninstall a plugin",
  description:
    "Its rows stay and work again when the plugin is reinstalled. Its program's data stays too, unless `data` is `true`. With `data=true` it also deletes the data of a plugin that was removed before.",
  params: byKey,
  query: z.strictObject({
    data: z
      .enum(["true", "false"])
      .default("false")
      .meta({ description: "`true` deletes its program's data." }),
  }),
  answer: pluginSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params, query }) =>
    plugins.removePlugin(services, actor, params.key, { withData: query.data === "true" }),
});

/** A name that can be shown in one line. */
function toFileName(text: string): string {
  return text.replaceAll(/[\p{C}/\\]/gu, "_").slice(-100) || "archive";
}

/** Remote callers must not read the server's own files. */
function checkRemote(source: string): void {
  if (/^[a-z0-9_]+$/.test(source) || /^https:\/\//i.test(source)) return;
  throw new HubError(
    "bad_request",
    "Send a name from the catalog or an https URL. To install a folder or file, run `hub plugin install` on the server.",
  );
}
