import { z } from "zod";

/** Block Kit with its published members and limits. Unknown members and types are refused. */

const plain = (max: number) =>
  z.strictObject({
    type: z.literal("plain_text"),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
  });
const markdown = (max: number) =>
  z.strictObject({
    type: z.literal("mrkdwn"),
    text: z.string().min(1).max(max),
    verbatim: z.boolean().optional(),
  });
const text = (max: number) => z.union([plain(max), markdown(max)]);
const actionId = z.string().min(1).max(255).optional();
const blockId = z.string().min(1).max(255).optional();
const date = z.iso.date().optional();
const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
  .optional();

const confirm = z
  .strictObject({
    title: plain(100),
    text: text(300),
    confirm: plain(30),
    deny: plain(30),
    style: z.enum(["primary", "danger"]).optional(),
  })
  .optional();

const option = z.strictObject({
  text: text(75),
  value: z.string().max(150),
  description: text(75).optional(),
  url: z.string().max(3_000).optional(),
});
const optionGroup = z.strictObject({
  label: plain(75),
  options: z.array(option).min(1).max(100),
});
const dispatchConfig = z
  .strictObject({
    trigger_actions_on: z.array(z.enum(["on_enter_pressed", "on_character_entered"])).min(1),
  })
  .optional();

const common = { action_id: actionId, focus_on_load: z.boolean().optional() };
const picking = { ...common, confirm, placeholder: plain(150).optional() };
const many = { ...picking, max_selected_items: z.int().min(1).optional() };
const filter = z
  .strictObject({
    include: z.array(z.enum(["im", "mpim", "private", "public"])).min(1),
    exclude_external_shared_channels: z.boolean(),
    exclude_bot_users: z.boolean(),
  })
  .partial()
  .optional();
const options = {
  options: z.array(option).min(1).max(100).optional(),
  option_groups: z.array(optionGroup).min(1).max(100).optional(),
};
const ids = z.array(z.string().min(1)).optional();
const conversation = {
  default_to_current_conversation: z.boolean().optional(),
  response_url_enabled: z.boolean().optional(),
  filter,
};
const withOptions = (element: { options?: unknown; option_groups?: unknown }) =>
  (element.options === undefined) !== (element.option_groups === undefined);
const oneOfOptions = { message: "needs either options or option_groups" };

const image = z
  .strictObject({
    type: z.literal("image"),
    alt_text: z.string().max(2_000),
    image_url: z.url().max(3_000).optional(),
    slack_file: z
      .union([z.strictObject({ id: z.string() }), z.strictObject({ url: z.url() })])
      .optional(),
  })
  .refine((image) => (image.image_url === undefined) !== (image.slack_file === undefined), {
    message: "needs either image_url or slack_file",
  });

const elements = {
  button: z.strictObject({
    type: z.literal("button"),
    text: plain(75),
    action_id: actionId,
    url: z.string().max(3_000).optional(),
    value: z.string().max(2_000).optional(),
    style: z.enum(["primary", "danger"]).optional(),
    confirm,
    accessibility_label: z.string().max(75).optional(),
  }),
  checkboxes: z.strictObject({
    type: z.literal("checkboxes"),
    ...common,
    confirm,
    options: z.array(option).min(1).max(10),
    initial_options: z.array(option).min(1).optional(),
  }),
  radio: z.strictObject({
    type: z.literal("radio_buttons"),
    ...common,
    confirm,
    options: z.array(option).min(1).max(10),
    initial_option: option.optional(),
  }),
  overflow: z.strictObject({
    type: z.literal("overflow"),
    action_id: actionId,
    confirm,
    options: z.array(option).min(1).max(5),
  }),
  date: z.strictObject({ type: z.literal("datepicker"), ...picking, initial_date: date }),
  time: z.strictObject({
    type: z.literal("timepicker"),
    ...picking,
    initial_time: time,
    timezone: z.string().optional(),
  }),
  dateTime: z.strictObject({
    type: z.literal("datetimepicker"),
    ...common,
    confirm,
    initial_date_time: z.int().optional(),
  }),
  staticSelect: z
    .strictObject({
      type: z.literal("static_select"),
      ...picking,
      ...options,
      initial_option: option.optional(),
    })
    .refine(withOptions, oneOfOptions),
  multiStaticSelect: z
    .strictObject({
      type: z.literal("multi_static_select"),
      ...many,
      ...options,
      initial_options: z.array(option).optional(),
    })
    .refine(withOptions, oneOfOptions),
  externalSelect: z.strictObject({
    type: z.literal("external_select"),
    ...picking,
    initial_option: option.optional(),
    min_query_length: z.int().min(0).optional(),
  }),
  multiExternalSelect: z.strictObject({
    type: z.literal("multi_external_select"),
    ...many,
    initial_options: z.array(option).optional(),
    min_query_length: z.int().min(0).optional(),
  }),
  usersSelect: z.strictObject({
    type: z.literal("users_select"),
    ...picking,
    initial_user: z.string().optional(),
  }),
  multiUsersSelect: z.strictObject({
    type: z.literal("multi_users_select"),
    ...many,
    initial_users: ids,
  }),
  conversationsSelect: z.strictObject({
    type: z.literal("conversations_select"),
    ...picking,
    ...conversation,
    initial_conversation: z.string().optional(),
  }),
  multiConversationsSelect: z.strictObject({
    type: z.literal("multi_conversations_select"),
    ...many,
    initial_conversations: ids,
    default_to_current_conversation: z.boolean().optional(),
    filter,
  }),
  channelsSelect: z.strictObject({
    type: z.literal("channels_select"),
    ...picking,
    initial_channel: z.string().optional(),
    response_url_enabled: z.boolean().optional(),
  }),
  multiChannelsSelect: z.strictObject({
    type: z.literal("multi_channels_select"),
    ...many,
    initial_channels: ids,
  }),
};

const typed = {
  ...common,
  placeholder: plain(150).optional(),
  dispatch_action_config: dispatchConfig,
};
const inputs = {
  text: z.strictObject({
    type: z.literal("plain_text_input"),
    ...typed,
    initial_value: z.string().optional(),
    multiline: z.boolean().optional(),
    min_length: z.int().min(0).max(3_000).optional(),
    max_length: z.int().min(1).max(3_000).optional(),
  }),
  email: z.strictObject({
    type: z.literal("email_text_input"),
    ...typed,
    initial_value: z.string().optional(),
  }),
  url: z.strictObject({
    type: z.literal("url_text_input"),
    ...typed,
    initial_value: z.string().optional(),
  }),
  number: z.strictObject({
    type: z.literal("number_input"),
    ...typed,
    is_decimal_allowed: z.boolean(),
    initial_value: z.string().optional(),
    min_value: z.string().optional(),
    max_value: z.string().optional(),
  }),
  richText: z.strictObject({
    type: z.literal("rich_text_input"),
    ...typed,
    initial_value: z.unknown().optional(),
  }),
  file: z.strictObject({
    type: z.literal("file_input"),
    action_id: actionId,
    filetypes: z.array(z.string()).optional(),
    max_files: z.int().min(1).max(10).optional(),
  }),
};

const { button, overflow, ...choices } = elements;
const element = z.union([...Object.values(elements), inputs.text, inputs.richText]);
const accessory = z.union([...Object.values(elements), image]);
const input = z.union([...Object.values(choices), ...Object.values(inputs)]);

const section = z
  .strictObject({
    type: z.literal("section"),
    block_id: blockId,
    text: text(3_000).optional(),
    fields: z.array(text(2_000)).min(1).max(10).optional(),
    accessory: accessory.optional(),
    expand: z.boolean().optional(),
  })
  .refine((section) => section.text !== undefined || section.fields !== undefined, {
    message: "needs text or fields",
  });

const richTextParts = [
  "rich_text_section",
  "rich_text_list",
  "rich_text_preformatted",
  "rich_text_quote",
] as const;

/** A text in which Slack looks for no markup. It refuses an empty one. */
const richText = z.strictObject({
  type: z.literal("text"),
  text: z.string().min(1),
  style: z
    .strictObject({
      bold: z.boolean().optional(),
      italic: z.boolean().optional(),
      strike: z.boolean().optional(),
      code: z.boolean().optional(),
    })
    .optional(),
});

const otherRichTexts = z.enum([
  "broadcast",
  "channel",
  "color",
  "date",
  "emoji",
  "link",
  "rich_text_section",
  "team",
  "user",
  "usergroup",
]);

const shared = [
  section,
  z.strictObject({ type: z.literal("divider"), block_id: blockId }),
  z.strictObject({ type: z.literal("header"), block_id: blockId, text: plain(150) }),
  z.strictObject({
    type: z.literal("image"),
    block_id: blockId,
    alt_text: z.string().min(1).max(2_000),
    image_url: z.url().max(3_000).optional(),
    slack_file: z.unknown().optional(),
    title: plain(2_000).optional(),
  }),
  z.strictObject({
    type: z.literal("actions"),
    block_id: blockId,
    elements: z.array(element).min(1).max(25),
  }),
  z.strictObject({
    type: z.literal("context"),
    block_id: blockId,
    elements: z
      .array(z.union([image, text(3_000)]))
      .min(1)
      .max(10),
  }),
  z.strictObject({
    type: z.literal("input"),
    block_id: blockId,
    label: plain(2_000),
    element: input,
    hint: plain(2_000).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal("rich_text"),
    block_id: blockId,
    elements: z
      .array(
        z.looseObject({
          type: z.enum(richTextParts),
          elements: z.array(z.union([richText, z.looseObject({ type: otherRichTexts })])),
        }),
      )
      .min(1),
  }),
] as const;

/** Only messages may have Markdown. */
const markdownBlock = z.strictObject({
  type: z.literal("markdown"),
  block_id: blockId,
  text: z.string().min(1).max(12_000),
});

const unique = (blocks: readonly { block_id?: string | undefined }[]) => {
  const given = blocks.flatMap(({ block_id }) => block_id ?? []);
  return new Set(given).size === given.length;
};
const uniqueIds = { message: "block_id is not unique" };

export const messageBlocks = z
  .array(z.union([...shared, markdownBlock]))
  .max(50)
  .refine(unique, uniqueIds);

const viewBlocks = z
  .array(z.union([...shared]))
  .max(100)
  .refine(unique, uniqueIds);

const anyView = {
  blocks: viewBlocks,
  private_metadata: z.string().max(3_000).optional(),
  callback_id: z.string().max(255).optional(),
  external_id: z.string().max(255).optional(),
};

export const homeView = z.strictObject({ type: z.literal("home"), ...anyView });

export const modalView = z
  .strictObject({
    type: z.literal("modal"),
    ...anyView,
    title: plain(24),
    submit: plain(24).optional(),
    close: plain(24).optional(),
    clear_on_close: z.boolean().optional(),
    notify_on_close: z.boolean().optional(),
    submit_disabled: z.boolean().optional(),
  })
  .refine((view) => view.submit || !view.blocks.some(({ type }) => type === "input"), {
    message: "a view with input blocks needs submit",
  });

/** The messages of `response_metadata`, which name the member by a JSON pointer. */
export function toBlockMessages(error: z.ZodError, root: string): string[] {
  return error.issues
    .flatMap((issue) => (issue.code === "invalid_union" ? deepest(issue) : [issue]))
    .map(({ message, path }) => `[ERROR] ${message} [json-pointer:${root}/${path.join("/")}]`);
}

/** The issues of the alternative that fits best: the one whose type is right. */
function deepest(issue: { path: PropertyKey[]; errors: readonly (readonly z.core.$ZodIssue[])[] }) {
  const fits = issue.errors.find((issues) => !issues.some(({ path }) => path.at(-1) === "type"));
  const issues = fits ?? [{ message: "unsupported type", path: [] }];
  return issues.map(({ message, path }) => ({ message, path: [...issue.path, ...path] }));
}
