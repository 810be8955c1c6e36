import { Button, FileButton, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useId, useState } from "react";
import { Icon } from "../../../ui/controls/icon.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { formatBytes } from "../../../ui/text/format.ts";
import { findArchiveFault } from "./check-archive.ts";
import styles from "./install-dialog.module.css";
import { PluginProgress } from "./plugin-progress.tsx";
import { PluginWarning } from "./plugin-warning.tsx";
import { setPluginWork, usePluginWork } from "./plugin-work.ts";
import { type Allowed, usePluginActions } from "./use-plugin-actions.ts";

/** The work of this dialog, whose plugin is not known before it is installed. */
const workKey = "install from elsewhere";

type Props = {
  isOpen: boolean;
  /** The files that were dropped or chosen. */
  files: readonly File[] | null;
  onFiles: (files: readonly File[] | null) => void;
  /** Files are held over the page. */
  isOver: boolean;
  onClose: () => void;
};

/** Installs a plugin from a file of the user's machine or from an https address. */
export function InstallDialog({ isOpen, files, onFiles, isOver, onClose }: Props) {
  const [address, setAddress] = useState("");
  const [stop, setStop] = useState<AbortController | null>(null);
  const work = usePluginWork(workKey);
  const actions = usePluginActions();
  const isBusy = work?.state === "running";
  const fault = files === null ? null : findArchiveFault(files);
  const file = fault === null ? (files?.[0] ?? null) : null;
  const isAddress = /^https:\/\/\S+$/i.test(address.trim());
  const isReady = file !== null || (files === null && isAddress);
  const choose = (chosen: readonly File[] | null) => {
    setPluginWork(workKey, null);
    onFiles(chosen);
  };
  const install = async (allowed: Allowed = {}) => {
    const controller = new AbortController();
    setStop(controller);
    const isDone =
      file === null
        ? await actions.download(workKey, address.trim(), allowed)
        : await actions.upload(workKey, file, allowed, controller.signal);
    setStop(null);
    if (!isDone) return;
    setAddress("");
    onFiles(null);
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !isBusy) void install();
  };
  const check = work?.state === "failed" ? work.error.detail.check : null;
  const isUploading =
    work?.state === "running" &&
    work.action === "Upload" &&
    (work.progress === null || work.progress.phase === "uploading");
  return (
    <Modal opened={isOpen} onClose={onClose} title="Install plugin" size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <PluginWarning isOn={isOpen} />
          <ArchiveFile
            files={files}
            fault={fault}
            isBusy={isBusy}
            isOver={isOver}
            onFiles={choose}
          />
          {files === null && (
            <TextInput
              label="Or its address"
              placeholder="https://example.com/tracker-1.0.0-linux-amd64.zip"
              value={address}
              onChange={(event) => setAddress(event.currentTarget.value)}
              error={address.includes(":") && !isAddress && "Give an https:// address."}
              autoComplete="off"
            />
          )}
          <PluginProgress
            work={work}
            onHide={() => setPluginWork(workKey, null)}
            repairs={<Repairs check={check} onInstall={(allowed) => void install(allowed)} />}
          />
          <Group justify="flex-end" gap="sm">
            {isUploading && stop !== null ? (
              <Button variant="default" onClick={() => stop.abort()}>
                Stop
              </Button>
            ) : (
              <Button variant="default" onClick={onClose}>
                {isBusy ? "Close" : "Cancel"}
              </Button>
            )}
            <Button type="submit" loading={isBusy} disabled={!isReady}>
              Install
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

type RepairProps = { check: unknown; onInstall: (allowed: Allowed) => void };

/** What an admin can allow after a check has refused the plugin. */
function Repairs({ check, onInstall }: RepairProps) {
  return (
    <>
      {check === "source" && (
        <Button size="xs" variant="danger" onClick={() => onInstall({ replace: true })}>
          Trust it and replace
        </Button>
      )}
      {check === "version" && (
        <Button
          size="xs"
          variant="danger"
          onClick={() => onInstall({ replace: true, allow_downgrade: true })}
        >
          Install the older version
        </Button>
      )}
    </>
  );
}

type FileProps = Pick<Props, "files" | "onFiles" | "isOver"> & {
  fault: string | null;
  isBusy: boolean;
};

function ArchiveFile({ files, fault, isBusy, isOver, onFiles }: FileProps) {
  const faultId = useId();
  const file = files?.length === 1 ? files[0] : undefined;
  return (
    <div>
      <div className={styles.file} data-over={isOver || undefined}>
        {file === undefined ? (
          <p>Drop a .zip or .tar.gz file here.</p>
        ) : (
          <p>
            <bdi>{file.name}</bdi> <small>{formatBytes(file.size)}</small>
          </p>
        )}
        {file !== undefined && !isBusy && (
          <IconButton icon="close" label="Remove the file" onClick={() => onFiles(null)} />
        )}
        {file === undefined && (
          <FileButton
            accept=".zip,.gz,.tgz"
            onChange={(chosen) => chosen !== null && onFiles([chosen])}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                leftSection={<Icon name="file" />}
                data-autofocus
                {...(fault !== null && { "aria-describedby": faultId })}
              >
                Choose a file
              </Button>
            )}
          </FileButton>
        )}
      </div>
      {fault !== null && (
        <p className={styles.fault} id={faultId} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
