// Makes a passkey, and sends what the browser says of it in the form around.
(() => {
  const box = document.querySelector('[data-passkey]');
  if (!box || !window.PublicKeyCredential) return;
  const { challenge, user, exclude, ...asked } = JSON.parse(box.dataset.passkey);
  const form = box.closest('form');
  const bytes = (id) =>
    Uint8Array.from(atob(id.replace(/-/g, '+').replace(/_/g, '/')), (sign) => sign.charCodeAt());
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '');
  const publicKey = {
    ...asked,
    challenge: new TextEncoder().encode(challenge),
    user: { ...user, id: bytes(user.id) },
    excludeCredentials: exclude.map((id) => ({ type: 'public-key', id: bytes(id) })),
  };
  const failed = box.querySelector('.error');
  const create = async () => {
    const { id, response } = await navigator.credentials.create({ publicKey });
    box.querySelector('input').value = JSON.stringify({
      id,
      clientDataJSON: text(response.clientDataJSON),
      attestationObject: text(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    });
    form.submit();
  };
  for (const part of form.querySelectorAll('[data-without-passkeys]')) part.hidden = true;
  box.hidden = false;
  box.querySelector('button').addEventListener('click', (event) => {
    event.preventDefault();
    failed.hidden = true;
    create().catch(({ name }) => {
      // The authenticator has one already; any other reason was said by the browser.
      failed.hidden = name !== 'InvalidStateError';
    });
  });
})();
