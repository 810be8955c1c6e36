// Runs in pages with a form for a passkey, which stays hidden in a browser without passkeys. It sends what the passkey answers as
// fields of the form, so that the page needs no other request.
const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) =>
    char.charCodeAt(0),
  );

const toText = (buffer) => {
  let text = "";
  for (const byte of new Uint8Array(buffer ?? [])) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

const toKeys = (ids) => ids.map((id) => ({ type: "public-key", id: toBytes(id) }));

async function sign({ challenge, rpId, keys, verification }) {
  const { rawId, response } = await navigator.credentials.get({
    publicKey: {
      challenge: toBytes(challenge),
      rpId,
      allowCredentials: toKeys(keys),
      userVerification: verification,
    },
  });
  return {
    credential_id: toText(rawId),
    client_data: toText(response.clientDataJSON),
    authenticator_data: toText(response.authenticatorData),
    signature: toText(response.signature),
    user_handle: toText(response.userHandle),
  };
}

async function make({ challenge, rp, user, keys, algorithms }) {
  const { response } = await navigator.credentials.create({
    publicKey: {
      challenge: toBytes(challenge),
      rp,
      user: { id: new TextEncoder().encode(user.id), name: user.email, displayName: user.name },
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: toKeys(keys),
      authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
      attestation: "none",
    },
  });
  return {
    client_data: toText(response.clientDataJSON),
    authenticator_data: toText(response.getAuthenticatorData()),
    public_key: toText(response.getPublicKey()),
    algorithm: String(response.getPublicKeyAlgorithm()),
  };
}

const failures = {
  NotAllowedError:
    "The browser has used no passkey: it was cancelled, or there is none for you here.",
  InvalidStateError: "This device has a passkey for you already.",
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (window.PublicKeyCredential === undefined) continue;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fault = form.querySelector("[data-fault]");
    const button = form.querySelector("button");
    fault.textContent = "";
    button.disabled = true;
    try {
      const options = JSON.parse(form.dataset.passkey);
      const fields = await (options.user === undefined ? sign(options) : make(options));
      for (const [name, value] of Object.entries(fields)) form.elements[name].value = value;
      form.submit();
    } catch (thrown) {
      fault.textContent = failures[thrown.name] ?? `The passkey failed: ${thrown.message}`;
      button.disabled = false;
    }
  });
}
