import type { Setting } from "@hub/contract/doctor.ts";
import { Button } from "@mantine/core";
import { useId, useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { FilterBar, FilterSelect } from "../../ui/tables/filter-bar.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { matchesText } from "../../ui/tables/text-filters.ts";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { formatSettingValue, toSettingLabel } from "./describe-setting.ts";
import { SettingDialog, settingRoutes } from "./setting-dialog.tsx";
import styles from "./settings.module.css";

type Filters = { q?: string; origin?: string };

const everyMs = 5_000;

const origins = [
  { value: "changeable", label: "Changeable here" },
  { value: "stored", label: "Changed here" },
  { value: "environment", label: "Set by the environment" },
  { value: "flag", label: "Set by a flag" },
  { value: "default", label: "Defaults" },
];

const originTexts = {
  default: { tone: "off", text: "Default" },
  environment: { tone: "good", text: "Environment" },
  flag: { tone: "good", text: "Flag" },
  stored: { tone: "warn", text: "Changed here" },
} as const;

/** Every setting of the hub, where its value comes from, and a way to change those that can be. */
export function SettingsPage() {
  const { filters, set } = useFilters<Filters>();
  const [edited, setEdited] = useState<string | null>(null);
  // The command line and other admins may change a setting while its dialog is open.
  const settings = useApi("GET /admin/api/settings", {}, { everyMs });
  const shown = settings.data?.settings.find(({ name }) => name === edited);
  return (
    <Page
      title="Settings"
      lead="A flag or a variable of the environment wins over a value that is set here. A change holds from the next call on."
    >
      <FilterBar>
        <SearchField label="Search settings" value={filters.q} onChange={(q) => set({ q })} />
        <FilterSelect
          label="Which settings"
          any="All settings"
          options={origins}
          value={filters.origin}
          onChange={(origin) => set({ origin })}
        />
      </FilterBar>
      <Loaded of={settings} what="The settings" skeleton={<PageSkeleton lines={10} />}>
        {({ settings: all }) => (
          <SettingList settings={all.filter((one) => isFound(one, filters))} onEdit={setEdited} />
        )}
      </Loaded>
      {shown !== undefined && (
        <SettingDialog key={shown.name} setting={shown} onClose={() => setEdited(null)} />
      )}
    </Page>
  );
}

function isFound(setting: Setting, { q, origin }: Filters): boolean {
  const { name, description, value } = setting;
  if (!matchesText(q, [name, toSettingLabel(name), description, value])) return false;
  if (origin === "changeable") return setting.changeable;
  return origin === undefined || setting.origin === origin;
}

type ListProps = { settings: readonly Setting[]; onEdit: (name: string) => void };

function SettingList({ settings, onEdit }: ListProps) {
  if (settings.length === 0) {
    return (
      <EmptyState icon="filter" title="No setting matches the filters">
        The search looks in names, descriptions and values.
      </EmptyState>
    );
  }
  const groups = [
    { title: "Changed while the hub runs", settings: settings.filter((one) => one.changeable) },
    { title: "Set at the start", settings: settings.filter((one) => !one.changeable) },
  ];
  return groups
    .filter((group) => group.settings.length > 0)
    .map((group) => <SettingGroup key={group.title} {...group} onEdit={onEdit} />);
}

function SettingGroup({ title, settings, onEdit }: ListProps & { title: string }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={styles.title}>
        {title}
      </h2>
      <ul className={styles.group}>
        {settings.map((setting) => (
          <li key={setting.name} className={styles.setting}>
            <div>
              <span className={styles.label}>{toSettingLabel(setting.name)}</span>
              <p className={styles.description}>{setting.description}</p>
              <code className={styles.name}>{setting.name}</code>
            </div>
            <SettingValue setting={setting} />
            <StateBadge {...originTexts[setting.origin]} />
            <div className={styles.actions}>
              {setting.changeable && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Change ${toSettingLabel(setting.name)}`}
                  onClick={() => onEdit(setting.name)}
                >
                  Change
                </Button>
              )}
              {setting.origin === "stored" && <ResetButton setting={setting} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SettingValue({ setting: { name, value, description } }: { setting: Setting }) {
  if (value === null || value === "") return <span className={styles.unset}>Not set</span>;
  const shown = formatSettingValue(name, value, description);
  if (shown !== value) return <span title={value}>{shown}</span>;
  return <code className={styles.value}>{value}</code>;
}

/** Resets at once: Undo stores the value again. */
function ResetButton({ setting: { name, value } }: { setting: Setting }) {
  const toast = useToast();
  const params = { setting: name };
  const onFailed = ({ message }: Error) => toast({ kind: "error", text: message });
  const restore = useChange("PUT /admin/api/settings/{setting}", {
    refreshes: settingRoutes,
    onFailed,
  });
  const reset = useChange("DELETE /admin/api/settings/{setting}", {
    refreshes: settingRoutes,
    onDone: () =>
      toast({
        text: `${toSettingLabel(name)} has its default again.`,
        ...(value !== null && { onUndo: () => restore.run({ params, body: { value } }) }),
      }),
    onFailed,
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`Reset ${toSettingLabel(name)}`}
      loading={reset.isPending}
      onClick={() => reset.run({ params })}
    >
      Reset
    </Button>
  );
}
