import { Alert, Button, Checkbox, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { TagInput } from "../../../ui/badges/tag-input.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Failure } from "../../../ui/page/failure.tsx";
import { FieldColumns } from "../../../ui/page/field-columns.tsx";
import { userRoutes } from "../user-routes.ts";
import type { GroupLine, Groups } from "./group-table.tsx";

type Typed = Omit<GroupLine, "id" | "users">;

type Props = {
  groups: Groups;
  /** The number of the line; -1 for a new one. */
  at: number;
  /** The group of a new line. */
  pattern: string;
  onClose: () => void;
};

/** One line: a group, and what its members get. */
export function GroupDialog({ groups, at, pattern, onClose }: Props) {
  const toast = useToast();
  const { revision, lines } = groups;
  const before = lines[at];
  const [line, setLine] = useState<Typed>(() => toTyped(before) ?? { ...emptyLine, pattern });
  const change = useChange("PUT /admin/api/groups", {
    refreshes: [...userRoutes, "GET /admin/api/groups", "GET /admin/api/users/{user}/groups"],
    onDone() {
      toast({ text: "The groups are saved." });
      onClose();
    },
  });
  const set = (given: Partial<Typed>) => setLine({ ...line, ...given });
  const save = (next: Typed | null) => {
    const kept = lines.flatMap((other) => toTyped(other) ?? []);
    const changed = next === null ? [] : [next];
    const all =
      before === undefined
        ? [...kept, ...changed]
        : [...kept.slice(0, at), ...changed, ...kept.slice(at + 1)];
    change.run({ body: { revision, lines: all } });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save({ ...line, is_pattern: line.pattern.includes("*") });
  };
  const hasStar = line.pattern.includes("*");
  return (
    <Dialog
      onClose={onClose}
      title={before === undefined ? "Add a group" : "Edit a group"}
      size="lg"
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <FieldColumns>
            <TextInput
              label="Group"
              description="As your directory sends it, such as /eng/backend. * stands for any characters."
              required
              maxLength={256}
              value={line.pattern}
              onChange={({ currentTarget: { value } }) => set({ pattern: value })}
              autoComplete="off"
              data-autofocus
            />
            <NativeSelect
              label="From"
              description="Where the group comes from."
              data={[
                { value: "any", label: "Any" },
                { value: "sso", label: "Single sign-on" },
                { value: "scim", label: "SCIM" },
              ]}
              value={line.source}
              onChange={({ currentTarget: { value } }) =>
                set({ source: value === "sso" || value === "scim" ? value : "any" })
              }
            />
            <TagInput
              label="Tags"
              description="Members get these."
              value={line.tags}
              onChange={(tags) => set({ tags })}
            />
            <TextInput
              label="Beginning of made tags"
              description="With one * in the group: also a tag of this and of what * stands for."
              disabled={!hasStar}
              maxLength={40}
              value={line.tag_start ?? ""}
              onChange={({ currentTarget: { value } }) =>
                set({ tag_start: value === "" ? null : value })
              }
              autoComplete="off"
            />
            <NativeSelect
              label="Role"
              data={[
                { value: "user", label: "User: the tags only" },
                { value: "admin", label: "Admin" },
                { value: "none", label: "No access, whatever other groups give" },
              ]}
              value={line.role}
              onChange={({ currentTarget: { value } }) =>
                set({ role: value === "admin" || value === "none" ? value : "user" })
              }
            />
          </FieldColumns>
          {line.role === "admin" && (
            <>
              <Alert color="yellow">
                Members see every row, every recorded call and every user, and can make other
                admins.
              </Alert>
              <Checkbox
                label="Also for groups that come by SCIM"
                checked={line.admin_by_scim}
                onChange={({ currentTarget: { checked } }) => set({ admin_by_scim: checked })}
              />
            </>
          )}
          <Failure of={change.error} />
          <Group justify="flex-end" gap="sm">
            {before !== undefined && (
              <Button variant="default" onClick={() => save(null)} disabled={change.isPending}>
                Remove
              </Button>
            )}
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

const emptyLine: Typed = {
  source: "any",
  pattern: "",
  is_pattern: false,
  tags: [],
  tag_start: null,
  role: "user",
  admin_by_scim: false,
};

function toTyped(line: GroupLine | undefined): Typed | null {
  if (line === undefined) return null;
  const { id: _, users: __, ...typed } = line;
  return typed;
}
