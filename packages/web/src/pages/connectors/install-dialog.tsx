import { Button, Code, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { PluginProgress } from "./plugin-progress.tsx";
import { setPluginWork, usePluginWork } from "./plugin-work.ts";
import { usePluginActions } from "./use-plugin-actions.ts";

/** The work of this dialog, whose plugin is not known before it is installed. */
const workKey = "install from an address";

/** Installs a plugin from an https address. */
export function InstallDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [address, setAddress] = useState("");
  const work = usePluginWork(workKey);
  const actions = usePluginActions();
  const isBusy = work?.state === "running";
  const isValid = /^https:\/\/\S+$/i.test(address.trim());
  const install = (allowed: { replace?: boolean; allow_downgrade?: boolean } = {}) =>
    void actions.download(workKey, address.trim(), allowed).then((isDone) => {
      if (!isDone) return;
      setAddress("");
      onClose();
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isValid) install();
  };
  const check = work?.state === "failed" ? work.error.detail.check : null;
  return (
    <Modal opened={isOpen} onClose={onClose} title="Install plugin" size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Address of the plugin's archive"
            description="A .zip or .tar.gz file. A plugin is a program: install only from a source that you trust."
            placeholder="https://example.com/tracker-1.0.0-linux-amd64.zip"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            error={address.includes(":") && !isValid && "Give an https:// address."}
            autoComplete="off"
            data-autofocus
          />
          <div>
            The file is on the hub's machine? Run <Code>hub plugin install ./tracker.zip</Code>{" "}
            there.
          </div>
          <PluginProgress
            work={work}
            onHide={() => setPluginWork(workKey, null)}
            repairs={
              <>
                {check === "source" && (
                  <Button size="xs" color="red" onClick={() => install({ replace: true })}>
                    Trust it and replace
                  </Button>
                )}
                {check === "version" && (
                  <Button size="xs" color="red" onClick={() => install({ allow_downgrade: true })}>
                    Install the older version
                  </Button>
                )}
              </>
            }
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={!isValid}>
              Install
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
