import { NativeSelect, TextInput } from "@mantine/core";
import { useEffect, useMemo, useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/icon.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { LazyPart } from "../editor/lazy-part.tsx";
import type { ItemProblem } from "../editor/problems.ts";
import type { UnreadTexts } from "../editor/unread-texts.ts";
import type { Change } from "../editor/use-draft.ts";
import { listSamples } from "../expressions/list-samples.ts";
import {
  type Body,
  type Edge,
  findItem,
  type Item,
  isTrigger,
  listLinks,
  listOutputs,
} from "../graph/body.ts";
import {
  checkNewId,
  connect,
  disconnect,
  isFree,
  renameCase,
  renameItem,
  setFields,
  splice,
} from "../graph/commands.ts";
import { toTitle } from "../graph/describe-item.ts";
import { findItemType } from "../graph/item-types.ts";
import { findAncestors } from "../graph/walk-graph.ts";
import { ApproversField, DurationField } from "./approval-fields.tsx";
import { ActionField, ArgsField, ChannelField, EventField, MatchField } from "./channel-fields.tsx";
import {
  ChoicesField,
  InputsField,
  RetryField,
  SecretField,
  WorkflowField,
} from "./choice-fields.tsx";
import { CasesField, ConditionsField } from "./comparison-fields.tsx";
import { PlainRow } from "./field-row.tsx";
import styles from "./inspector.module.css";
import { InspectorContext } from "./inspector-context.ts";
import { findHelpOf, type ItemField, listFieldsOf } from "./item-fields.ts";
import { OperationField, ParamsField } from "./operation-fields.tsx";
import { ScheduleField } from "./schedule-field.tsx";
import { WebhookAddresses } from "./webhook-addresses.tsx";

export type InspectorProps = {
  workflow: string;
  body: Body;
  item: Item;
  problems: readonly ItemProblem[];
  secrets: readonly string[];
  run: string | null;
  apply: (change: Change, subject?: string | null) => void;
  onRenamed: (id: string) => void;
  unread: UnreadTexts;
};

/** The fields of one trigger or node, and where it leads. */
export function Inspector(props: InspectorProps) {
  const { workflow, body, item, problems, secrets, run, apply, unread } = props;
  const isOne = isTrigger(body, item.id);
  const fields = listFieldsOf(item.type, isOne);
  const help = findHelpOf(item.type, isOne);
  const more = fields.filter(({ isMore }) => isMore);
  const { data: runs } = useApi(
    "GET /manager/api/workflows/{workflow}/runs",
    { params: { workflow }, query: { limit: 1 } },
    { isOn: run === null },
  );
  const last = run ?? runs?.runs[0]?.id ?? null;
  const { data: detail = null } = useApi(
    "GET /manager/api/workflows/{workflow}/runs/{run}",
    { params: { workflow, run: last ?? "" } },
    { isOn: last !== null },
  );
  const samples = useMemo(
    () => listSamples({ body, item, secrets, run: detail }),
    [body, item, secrets, detail],
  );
  const scope = { workflow, body, item, isTrigger: isOne, secrets, run: last, samples, unread };
  const own = problems.filter(({ id }) => id === item.id);
  const keys = new Set(fields.map(({ key }) => key));
  const rest = own.filter(({ field }) => !keys.has(field[0] ?? ""));
  const needsMore = more.some(
    ({ key }) => own.some(({ field }) => field[0] === key) || item[key] !== undefined,
  );
  const toField = (spec: ItemField) => (
    <Field key={`${item.id} ${spec.key}`} spec={spec} item={item} problems={own} apply={apply} />
  );
  return (
    <InspectorContext value={scope}>
      {rest.map(({ path, message, hint, severity }) => (
        <p key={path + message} className={styles.problem} data-severity={severity}>
          <Icon name="warning" />
          <span>{`${message} ${hint}`}</span>
        </p>
      ))}
      {help !== null && <p className={styles.help}>{help}</p>}
      <Naming {...props} key={item.id} isTrigger={isOne} />
      {fields.filter(({ isMore }) => !isMore).map(toField)}
      <Connections {...props} isTrigger={isOne} />
      {isOne && item.type === "webhook" && <WebhookAddresses />}
      {more.length > 0 && (
        <details className={styles.more} open={needsMore}>
          <summary>More</summary>
          {more.map(toField)}
        </details>
      )}
    </InspectorContext>
  );
}

type NamingProps = Pick<InspectorProps, "body" | "item" | "apply" | "onRenamed"> & {
  isTrigger: boolean;
};

function Naming({ body, item, apply, onRenamed, isTrigger: isOne }: NamingProps) {
  const [id, setId] = useState(item.id);
  useEffect(() => setId(item.id), [item.id]);
  const problem = checkNewId(body, item.id, id);
  const rename = () => {
    if (id === item.id || problem !== null) return;
    apply((before) => renameItem(before, item.id, id));
    onRenamed(id);
  };
  return (
    <div className={styles.naming}>
      <TextInput
        label="Name"
        placeholder={findItemType(item, isOne).name}
        value={typeof item.label === "string" ? item.label : ""}
        maxLength={200}
        onChange={({ currentTarget: { value } }) =>
          apply(
            (before) => setFields(before, item.id, { label: value || undefined }),
            `${item.id} label`,
          )
        }
      />
      <TextInput
        label="Id"
        value={id}
        error={id === item.id ? null : problem}
        spellCheck={false}
        onChange={(event) => setId(event.currentTarget.value)}
        onBlur={rename}
        onKeyDown={(event) => event.key === "Enter" && rename()}
      />
    </div>
  );
}

type FieldProps = {
  spec: ItemField;
  item: Item;
  problems: readonly ItemProblem[];
  apply: InspectorProps["apply"];
};

function Field({ spec, item, problems, apply }: FieldProps) {
  const { key, kind } = spec;
  const value = item[key];
  const own = problems.filter(({ field }) => field[0] === key);
  const toText = ({ message, hint }: ItemProblem) => `${message} ${hint}`.trim();
  const error = own.length === 0 ? null : own.map(toText).join(" ");
  const onValue = (next: unknown) =>
    apply((before) => setFields(before, item.id, { [key]: next }), `${item.id} ${key}`);
  const shared = { spec, value, onValue, error };
  const byMember = new Map(own.map((one) => [one.field[1] ?? "", toText(one)]));
  const byRow = new Map(own.map((one) => [Number(one.field[1]), toText(one)]));
  switch (kind) {
    case "conditions":
      return <ConditionsField value={value} onValue={onValue} issues={byRow} />;
    case "cases":
      return (
        <CasesField
          value={value}
          onValue={onValue}
          issues={byRow}
          onRename={(change) =>
            apply((before) => renameCase(before, item.id, change), `${item.id} ${key}`)
          }
        />
      );
    case "approvers":
      return <ApproversField {...shared} />;
    case "choices":
      return <ChoicesField {...shared} />;
    case "workflow":
      return <WorkflowField {...shared} />;
    case "secret":
      return <SecretField {...shared} />;
    case "retry":
      return <RetryField {...shared} />;
    case "inputs":
      return <InputsField {...shared} />;
    case "operation":
      return <OperationField value={value} onValue={onValue} error={error} />;
    case "params":
      return (
        <ParamsField
          key={String(item.tool_id)}
          toolId={item.tool_id}
          value={value}
          onValue={onValue}
          issues={byMember}
        />
      );
    case "channel":
      return <ChannelField {...shared} />;
    case "event":
      return <EventField {...shared} channel={item.channel} />;
    case "match":
      return <MatchField {...shared} channel={item.channel} event={item.event} issues={byMember} />;
    case "op":
      return <ActionField {...shared} channel={item.channel} />;
    case "args":
      return <ArgsField {...shared} channel={item.channel} op={item.op} issues={byMember} />;
    case "code":
      return (
        <LazyPart load={loadCodeField} onFailed={nothing}>
          {({ CodeField }) => <CodeField {...shared} />}
        </LazyPart>
      );
    case "schedule":
      return <ScheduleField {...shared} timezone={item.timezone} />;
    case "duration":
      return <DurationField {...shared} />;
    default:
      return <PlainRow {...shared} />;
  }
}

const loadCodeField = () => import("./code/code-field.tsx");
const nothing = () => {};

type ConnectionProps = Pick<InspectorProps, "body" | "item" | "apply"> & { isTrigger: boolean };

/** Where each output leads. The keyboard connects nodes here. */
function Connections(props: ConnectionProps) {
  const { body, item, apply, isTrigger: isOne } = props;
  const outputs = isOne ? [{ case: undefined }] : listOutputs(item);
  const before = findAncestors(body, item.id);
  const targets = body.nodes.filter(({ id }) => id !== item.id && !before.has(id));
  const nameOf = (id: string) => {
    const found = findItem(body, id);
    return found === null ? id : toTitle(found, isTrigger(body, id));
  };
  return (
    <fieldset className={styles.list}>
      <legend>Leads to</legend>
      {isFree(body, item.id) && <FreeNode {...props} nameOf={nameOf} />}
      {outputs.map((output) => {
        const links: Edge[] = isOne
          ? body.nodes
              .filter(({ id }) => id === item.entry)
              .map(({ id }) => ({ from: item.id, to: id }))
          : body.edges.filter((edge) => edge.from === item.id && edge.case === output.case);
        const free = targets.filter(({ id }) => !links.some(({ to }) => to === id));
        const name = output.case ?? "Next";
        return (
          <div key={name} className={styles.output}>
            <span className={styles.case}>{name}</span>
            <div className={styles.targets}>
              {links.map((edge) => (
                <span key={edge.to} className={styles.target}>
                  {nameOf(edge.to)}
                  <IconButton
                    icon="close"
                    label={`Disconnect ${nameOf(edge.to)}`}
                    onClick={() => apply((now) => disconnect(now, edge))}
                  />
                </span>
              ))}
              {links.length + free.length === 0 && <span className={styles.soft}>Ends here</span>}
              {free.length > 0 && (
                <NativeSelect
                  aria-label={`Connect ${name} to`}
                  value=""
                  data={[
                    {
                      value: "",
                      label: links.length === 0 ? "Connect to…" : isOne ? "Instead to…" : "And to…",
                    },
                    ...free.map(({ id }) => ({ value: id, label: `${nameOf(id)} (${id})` })),
                  ]}
                  onChange={({ currentTarget: { value: to } }) =>
                    to !== "" &&
                    apply((now) =>
                      connect(now, {
                        ...{ from: item.id, to },
                        ...(output.case !== undefined && { case: output.case }),
                      }),
                    )
                  }
                />
              )}
            </div>
          </div>
        );
      })}
    </fieldset>
  );
}

/** Puts a node without connections on one, as the pointer does by dropping it there. */
function FreeNode({
  body,
  item,
  apply,
  nameOf,
}: ConnectionProps & { nameOf: (id: string) => string }) {
  const links = listLinks(body);
  if (links.length === 0) return null;
  return (
    <NativeSelect
      aria-label="Put on a connection"
      value=""
      data={[
        { value: "", label: "Put on a connection…" },
        ...links.map(({ from, to, case: name }, at) => ({
          value: String(at),
          label: `${nameOf(from)}${name === undefined ? "" : `, ${name}`} → ${nameOf(to)}`,
        })),
      ]}
      onChange={({ currentTarget: { value } }) => {
        const link = links[Number(value)];
        if (value !== "" && link !== undefined) apply((now) => splice(now, item.id, link));
      }}
    />
  );
}
