// Shows what helps only where the browser can use passkeys.
(() => {
  if (!window.PublicKeyCredential) return;
  for (const part of document.querySelectorAll('[data-with-passkeys]')) part.hidden = false;
})();
