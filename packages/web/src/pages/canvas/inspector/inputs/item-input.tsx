import { LazyPart } from "../../editor/lazy-part.tsx";
import type { ItemProblem } from "../../editor/problems/draft-problems.ts";
import type { Item } from "../../graph/body.ts";
import { renameCase, setFields } from "../../graph/commands.ts";
import { ApproversField, DurationField, ValuesField } from "../fields/approval-fields.tsx";
import {
  ActionField,
  ArgsField,
  ChannelField,
  EventField,
  MatchField,
} from "../fields/channel-fields.tsx";
import {
  ChoicesField,
  InputsField,
  RetryField,
  SecretField,
  WorkflowField,
} from "../fields/choice-fields.tsx";
import { CasesField, ConditionsField } from "../fields/comparison-fields.tsx";
import { OperationField, ParamsField } from "../fields/operation-fields.tsx";
import { ScheduleField } from "../fields/schedule-field.tsx";
import styles from "../inspector.module.css";
import type { Apply } from "../inspector-context.ts";
import { PlainRow } from "./field-row.tsx";
import type { ItemField } from "./node-field-spec.ts";

type FieldProps = {
  spec: ItemField;
  item: Item;
  problems: readonly ItemProblem[];
  apply: Apply;
};

/** The input of a field of an item, with what is wrong in it. Warnings alone do not look like errors. */
export function ItemInput({ problems, ...props }: FieldProps) {
  const own = problems.filter(({ field }) => field[0] === props.spec.key);
  const isWarned = own.length > 0 && own.every(({ severity }) => severity === "warning");
  return (
    <div className={styles.input} data-warned={isWarned || undefined}>
      <KindInput {...props} own={own} />
    </div>
  );
}

type KindProps = Omit<FieldProps, "problems"> & { own: readonly ItemProblem[] };

/** The input of the kind of a field. */
function KindInput({ spec, item, own, apply }: KindProps) {
  const { key, kind } = spec;
  const value = item[key];
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
    case "values":
      return <ValuesField spec={spec} value={value} onValue={onValue} issues={byRow} />;
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

const loadCodeField = () => import("../code/code-field.tsx");
const nothing = () => {};
