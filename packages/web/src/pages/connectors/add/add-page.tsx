import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMe } from "../../../api/use-me.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { Page } from "../../../ui/page/page-frame.tsx";
import { CardsSkeleton } from "../catalog/cards-skeleton.tsx";
import { CatalogItems } from "../catalog/catalog-list.tsx";
import { useCatalog } from "../catalog/use-catalog.ts";
import dialogStyles from "../plugins/install-dialog.module.css";
import { InstallDialog } from "../plugins/install-dialog.tsx";
import { useFileDrop } from "../plugins/use-file-drop.ts";
import { Doors } from "./doors.tsx";

/** The ways to a new row: an address, a file, or a connector of the hub or of the catalog. */
export function AddPage() {
  const { isAdmin } = useMe();
  const [isInstalling, setInstalling] = useState(false);
  const [files, setFiles] = useState<readonly File[] | null>(null);
  const isOver = useFileDrop(isAdmin, (dropped) => {
    setFiles(dropped);
    setInstalling(true);
  });
  const { connectors, plugins, catalog, items } = useCatalog();
  const skeleton = <CardsSkeleton />;
  return (
    <Page
      title={isAdmin ? "Add a connection" : "Catalog"}
      parent={<Link to="/manager/connectors">Connections</Link>}
      lead={
        isAdmin
          ? "Begin with what you have."
          : "What this hub can connect to. An admin adds connections, and shares them with you."
      }
      actions={
        isAdmin && (
          <Button
            variant="default"
            leftSection={<Icon name="plus" />}
            onClick={() => setInstalling(true)}
          >
            Install plugin
          </Button>
        )
      }
    >
      {isAdmin && (
        <>
          <Doors />
          <InstallDialog
            isOpen={isInstalling}
            files={files}
            onFiles={setFiles}
            isOver={isOver}
            onClose={() => setInstalling(false)}
          />
        </>
      )}
      {isOver && !isInstalling && (
        <div className={dialogStyles.over}>
          <div>Drop the archive of a plugin to install it</div>
        </div>
      )}
      <Loaded of={connectors} what="The connectors" skeleton={skeleton}>
        {() => (
          <Loaded of={plugins} what="The plugins" skeleton={skeleton}>
            {() =>
              items !== null && <CatalogItems items={items} catalog={catalog} isAdmin={isAdmin} />
            }
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}
