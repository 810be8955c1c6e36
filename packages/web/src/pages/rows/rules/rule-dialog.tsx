import { type CallRule, ruleFreeMax, ruleSentenceCharsMax } from "@hub/contract/call-rule.ts";
import { Button, Checkbox, NativeSelect, NumberInput, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { TagInput } from "../../../ui/badges/tag-input.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogFoot } from "../../../ui/dialogs/dialog-foot.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { PeopleField } from "../access/people-field.tsx";
import type { ShownRow } from "../shown-row.ts";
import { type RuleForm, toRuleForm, toRuleInput } from "./rule-form.ts";

type Props = {
  row: Pick<ShownRow, "id" | "label">;
  /** Null for the whole row. */
  operation: string | null;
  rule: CallRule | null;
  onClose: () => void;
};

const refreshes = ["GET /manager/api/rows/{row}/rules", "GET /manager/api/rules"] as const;

const rowChoices = [
  { value: "off", label: "Off: calls run without a question" },
  { value: "always", label: "Every call" },
  { value: "destructive", label: "Destructive calls" },
] as const;
const operationChoices = [
  { value: "off", label: "As the row" },
  { value: "always", label: "Every call" },
  { value: "never", label: "Never, whatever the row says" },
] as const;
const deciders = [
  { value: "caller", label: "The caller, in a signed-in browser" },
  { value: "tags", label: "Other people with a tag" },
] as const;
const places = [
  { value: "page", label: "On the page of the call" },
  { value: "client", label: "Also by a form in the client, if it shows forms" },
] as const;

/** Sets what is asked before calls of a row, or of one operation, run. */
export function RuleDialog({ row, operation, rule, onClose }: Props) {
  const toast = useToast();
  const [form, setForm] = useState(() => toRuleForm(rule));
  const onDone = () => {
    toast({ text: "What is asked before calls run is saved." });
    onClose();
  };
  const save = useChange("PUT /manager/api/rows/{row}/rules", { refreshes, onDone });
  const remove = useChange("DELETE /manager/api/rows/{row}/rules/{rule}", { refreshes, onDone });
  const change = (part: Partial<RuleForm>) => setForm({ ...form, ...part });
  const choices = operation === null ? rowChoices : operationChoices;
  return (
    <Dialog title={`Ask before acting: ${operation ?? row.label}`} size="lg" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const body = toRuleInput(form, operation, rule);
          const revision = rule?.revision ?? 0;
          if (body !== null) {
            const read = { rule_id: rule?.id ?? null, revision };
            save.run({ params: { row: row.id }, body: { ...body, ...read } });
          } else if (rule === null) onClose();
          else
            remove.run({
              params: { row: row.id, rule: rule.id },
              query: { revision },
            });
        }}
      >
        <Stack gap="md">
          <NativeSelect
            label="Ask about"
            data={choices}
            value={form.asks}
            onChange={({ currentTarget: { value } }) => {
              const asks = choices.find((one) => one.value === value)?.value;
              if (asks !== undefined) change({ asks });
            }}
          />
          {(form.asks === "always" || form.asks === "destructive") && (
            <Question form={form} change={change} />
          )}
          <Failure of={save.error ?? remove.error} />
          <DialogFoot>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending || remove.isPending}>
              Save
            </Button>
          </DialogFoot>
        </Stack>
      </form>
    </Dialog>
  );
}

type PartProps = { form: RuleForm; change: (part: Partial<RuleForm>) => void };

/** Who is asked, who decides, and what an approval permits. */
function Question({ form, change }: PartProps) {
  return (
    <>
      <NumberInput
        label="Free calls in an hour"
        description="How many of these calls each user may make per clock hour without being asked. Empty: none."
        min={1}
        max={ruleFreeMax}
        allowDecimal={false}
        value={form.free}
        onChange={(free) => change({ free })}
      />
      <PeopleField
        label="Not for"
        description="Calls of these people, and of people with these tags, are not asked about."
        value={form.except}
        onChange={(except) => change({ except })}
      />
      <NativeSelect
        label="Who decides"
        data={deciders}
        value={form.decidedBy}
        onChange={({ currentTarget: { value } }) =>
          change({ decidedBy: value === "tags" ? "tags" : "caller" })
        }
      />
      {form.decidedBy === "tags" ? (
        <TagInput
          label="Deciding tags"
          description="Active users with one of these tags decide, but never about their own calls."
          value={form.tags}
          onChange={(tags) => change({ tags })}
        />
      ) : (
        <NativeSelect
          label="Where"
          description="A form in the client is answered by the client's user, and is not enough for destructive calls that lead outside of the hub."
          data={places}
          value={form.confirm}
          onChange={({ currentTarget: { value } }) =>
            change({ confirm: value === "client" ? "client" : "page" })
          }
        />
      )}
      <Hour form={form} change={change} />
      <Checkbox
        label="An approved call runs by itself"
        description="The hub makes it as its caller, after checking it again. Otherwise the client repeats the call within 15 minutes."
        checked={form.runsOnApproval}
        onChange={({ currentTarget: { checked } }) => change({ runsOnApproval: checked })}
      />
      <TextInput
        label="Why"
        description="A sentence for callers and approvers."
        maxLength={ruleSentenceCharsMax}
        value={form.sentence}
        onChange={({ currentTarget: { value } }) => change({ sentence: value })}
      />
    </>
  );
}

function Hour({ form, change }: PartProps) {
  return (
    <>
      <Checkbox
        label="May be permitted for an hour"
        description="The approver may permit the operation for an hour: for the same token or application and the same account."
        checked={form.hour}
        onChange={({ currentTarget: { checked } }) => change({ hour: checked })}
      />
      {form.hour && (
        <>
          <TextInput
            label="Params that stay as approved"
            description="Names of params, separated by commas."
            value={form.fixed}
            onChange={({ currentTarget: { value } }) => change({ fixed: value })}
          />
          <Checkbox
            label="Destructive operations, too"
            checked={form.hourDestructive}
            onChange={({ currentTarget: { checked } }) => change({ hourDestructive: checked })}
          />
        </>
      )}
    </>
  );
}
