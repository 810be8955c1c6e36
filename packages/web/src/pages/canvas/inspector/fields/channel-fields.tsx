import type { Channel } from "@hub/contract/channel.ts";
import { toFieldLabel } from "@hub/contract/field-label.ts";
import { NativeSelect } from "@mantine/core";
import { useApi } from "../../../../api/use-api.ts";
import type { FormField } from "../../../../form/field-form.ts";
import {
  describeHealthProblem,
  toChannelOption,
} from "../../../../workflow-parts/channel-state-names.ts";
import { type FieldProps, inputOrder } from "../inputs/field-kit.ts";
import { FieldRow, PlainRow } from "../inputs/field-row.tsx";
import type { ItemField } from "../inputs/node-field-spec.ts";
import { type TextForm, toParamForm } from "../inputs/value-text.ts";
import styles from "../inspector.module.css";
import { ParamsField } from "./operation-fields.tsx";
import { useRowValues } from "./use-row-values.ts";

type OfChannel = FieldProps & { channel: unknown };

/** The channel that a trigger or node names: by its slug, or by its kind while there is one of it. */
function useChannel(name: unknown) {
  const { data, error } = useApi("GET /manager/api/channels", {});
  const channels = data?.channels ?? [];
  const ofKind = channels.filter(({ connector }) => connector === name);
  const [only] = ofKind.length === 1 ? ofKind : [];
  const channel = channels.find(({ slug }) => slug === name) ?? only ?? null;
  return { channels, channel, isRead: data !== undefined || error !== null };
}

/** Chooses a channel among those that the user sees. */
export function ChannelField(props: FieldProps) {
  const { spec, value, onValue, error } = props;
  const { channels, channel, isRead } = useChannel(value);
  if (isRead && channels.length === 0) return <PlainRow {...props} spec={noChannels(spec)} />;
  const about = channel === null ? undefined : describeHealthProblem(channel);
  const options = channels.map(toChannelOption);
  return (
    <Choice
      spec={spec}
      value={value}
      onValue={onValue}
      error={error}
      options={options}
      {...(about !== undefined && { about })}
    />
  );
}

const noChannels = (spec: ItemField): ItemField => ({
  ...spec,
  kind: "text",
  about: "The slug of a channel. You see none: an admin adds channels as rows of a chat connector.",
});

/** Chooses an event of the channel. */
export function EventField({ channel: name, ...props }: OfChannel) {
  const { channel } = useChannel(name);
  if (channel === null) return <PlainRow {...props} spec={{ ...props.spec, kind: "text" }} />;
  const options = channel.events.map(({ id, name: label }) => ({ value: id, label }));
  const about = channel.events.find(({ id }) => id === props.value)?.description;
  return <Choice {...props} options={options} {...(about !== undefined && { about })} />;
}

/** The filters of the event, by the fields that the channel declares. */
export function MatchField({
  channel: name,
  event: id,
  issues,
  ...props
}: OfChannel & { event: unknown; issues: ReadonlyMap<string, string> }) {
  const { channel } = useChannel(name);
  const event = channel?.events.find((one) => one.id === id);
  if (channel === null || event === undefined) {
    return <PlainRow {...props} spec={{ ...props.spec, kind: "json" }} />;
  }
  return <Filters {...props} channel={channel} event={event} issues={issues} />;
}

type FiltersProps = FieldProps & {
  channel: Channel;
  event: Channel["events"][number];
  issues: ReadonlyMap<string, string>;
};

function Filters({ channel, event, value, onValue, issues }: FiltersProps) {
  const { host, values: filters, set } = useRowValues(channel.id, value, onValue);
  return (
    <fieldset className={styles.list} data-field="match">
      <legend>Filters</legend>
      {event.match
        .flatMap(({ fields }) => fields)
        .map((field) => (
          <FieldRow
            key={`${event.id} ${field.key}`}
            field={{ ...field, is_set: true }}
            label={toFieldLabel(field)}
            form={toFilterForm(field)}
            value={filters[field.key]}
            onValue={(next) => set(field.key, next)}
            error={issues.get(field.key) ?? null}
            isTemplate={false}
            host={host}
            within="match"
          />
        ))}
    </fieldset>
  );
}

/** Lists are kept as JSON. Models write plain ids, which are shown as rows, too. */
function toFilterForm({ widget, base, columns }: FormField): TextForm {
  if (widget !== "picker" && widget !== "kvlist") return toParamForm(base);
  const [first = "value"] = widget === "picker" ? ["id"] : columns;
  const toRow = (one: unknown) =>
    typeof one === "object" && one !== null ? one : { [first]: String(one) };
  return {
    toText: (value) =>
      value === undefined || value === "" ? "" : JSON.stringify([value].flat().map(toRow)),
    fromText: (text) => ({ value: text === "" || text === "[]" ? undefined : JSON.parse(text) }),
  };
}

/** Chooses an action of the channel. */
export function ActionField({ channel: name, ...props }: OfChannel) {
  const { channel } = useChannel(name);
  const row = useApi(
    "GET /manager/api/rows/{row}",
    { params: { row: channel?.id ?? "" } },
    { isOn: channel !== null },
  );
  if (row.data === undefined) return <PlainRow {...props} spec={{ ...props.spec, kind: "text" }} />;
  const options = row.data.operations
    .filter(({ enabled, test_only: isTestOnly }) => enabled && !isTestOnly)
    .map(({ key, name: label }) => ({ value: key, label }));
  return <Choice {...props} options={options} />;
}

/** The inputs of the action, by its own fields. */
export function ArgsField({
  channel: name,
  op,
  issues,
  ...props
}: OfChannel & { op: unknown; issues: ReadonlyMap<string, string> }) {
  const { channel } = useChannel(name);
  if (channel === null) return <PlainRow {...props} spec={{ ...props.spec, kind: "json" }} />;
  const { value, onValue } = props;
  const toolId = `conn:${channel.id}/${op}`;
  return (
    <ParamsField
      key={toolId}
      within="args"
      toolId={toolId}
      value={value}
      onValue={onValue}
      issues={issues}
    />
  );
}

type ChoiceProps = FieldProps & {
  options: ReadonlyArray<{ value: string; label: string }>;
  about?: string;
};

function Choice({ spec, value, onValue, error, options, about }: ChoiceProps) {
  const chosen = String(value ?? "");
  const isKnown = options.some((one) => one.value === chosen);
  return (
    <NativeSelect
      className={styles.field}
      data-field={spec.key}
      id={`field-${spec.key}`}
      label={spec.label}
      description={about}
      error={error}
      inputWrapperOrder={inputOrder}
      value={chosen}
      data={[...(isKnown ? [] : [{ value: chosen, label: chosen || "Choose one" }]), ...options]}
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  );
}
