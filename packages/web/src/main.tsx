import "@mantine/core/styles.layer.css";
import "@hub/contract/shell.css";
import "./theme/global.css";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/api-error.ts";
import { createApiClient } from "./api/call-api.ts";
import { watchAttention } from "./api/watch-attention.ts";
import { createAppRouter } from "./router.tsx";
import { SignInGate } from "./shell/sign-in-gate.tsx";
import { createSignInPrompt } from "./shell/sign-in-prompt.ts";
import { schemeManager } from "./theme/scheme.ts";
import { cssVariablesResolver, theme } from "./theme/theme.ts";
import { ToastProvider } from "./ui/dialogs/toasts.tsx";

// The policy of the page allows only styles with this nonce. Scripts cannot read it from the markup.
const nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
setNonce(nonce);

const [sessionPrompt, freshPrompt] = [createSignInPrompt(), createSignInPrompt()];
const api = createApiClient({
  async renewSession(email) {
    if (email !== null) {
      await sessionPrompt.ask(email);
      return;
    }
    const { pathname, search } = window.location;
    window.location.assign(`/auth/login?${new URLSearchParams({ next: pathname + search })}`);
    await new Promise(() => {});
  },
  confirmUser: freshPrompt.ask,
  onOtherUser: () => window.location.reload(),
});

const triesMax = 2;
const queries = new QueryClient({
  defaultOptions: {
    // A browser without a network still reaches a hub on its own machine, and a request that fails says so.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      refetchOnReconnect: true,
      staleTime: 5_000,
      // Only what another try may change. A page shows the other failures at once.
      retry: (failures, error) =>
        failures < triesMax &&
        error instanceof ApiError &&
        ["unavailable", "unreachable"].includes(error.code),
    },
  },
});

watchAttention();
const router = createAppRouter({ api, queries });

createRoot(document.getElementById("root") ?? document.body).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <ToastProvider>
          <RouterProvider router={router} />
          <SignInGate prompt={sessionPrompt} kind="session" />
          <SignInGate prompt={freshPrompt} kind="fresh" />
        </ToastProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
