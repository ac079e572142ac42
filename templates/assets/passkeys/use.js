// Signs a challenge with a passkey, and sends what came of it in the form around. Without this a page has its other ways.
(() => {
  const box = document.querySelector('[data-passkey]');
  if (!box || !window.PublicKeyCredential) return;
  const { challenge, rpId, timeout, allow, fills } = JSON.parse(box.dataset.passkey);
  const form = box.closest('form');
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '');
  const bytes = (id) =>
    Uint8Array.from(atob(id.replace(/-/g, '+').replace(/_/g, '/')), (sign) => sign.charCodeAt());
  const publicKey = {
    challenge: new TextEncoder().encode(challenge),
    rpId,
    timeout,
    userVerification: 'required',
    allowCredentials: allow.map((id) => ({ type: 'public-key', id: bytes(id) })),
  };
  const sign = async (how) => {
    const { id, response } = await navigator.credentials.get({ publicKey, ...how });
    const sent = { id };
    for (const name of ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']) {
      sent[name] = response[name] && text(response[name]);
    }
    // Browsers would keep a password that goes along as the right one.
    for (const input of form.querySelectorAll('[autocomplete=current-password]')) input.value = '';
    box.querySelector('input').value = JSON.stringify(sent);
    form.submit();
  };
  let waiting;
  // Passkeys among what the browser fills in.
  const offer = async () => {
    if (!fills || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    waiting = new AbortController();
    sign({ mediation: 'conditional', signal: waiting.signal }).catch(() => {});
  };
  for (const part of form.querySelectorAll('[data-without-passkeys]')) part.hidden = true;
  box.hidden = false;
  box.querySelector('button').addEventListener('click', (event) => {
    event.preventDefault();
    waiting?.abort();
    sign().catch(offer);
  });
  offer();
})();
