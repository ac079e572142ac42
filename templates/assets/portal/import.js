// Keeps the page of an import as it is now while the service works on it. Without this it loads itself anew.
(() => {
  const shown = document.querySelector('[data-live]');
  if (shown === null) return;
  const pace = Number(shown.dataset.live) * 1_000;
  const look = async () => {
    if (document.hidden) return true;
    const answer = await fetch(location.href).catch(() => null);
    // The service may be starting: it is asked again.
    if (answer === null || answer.status >= 500 || answer.status === 429) return true;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const now = page.querySelector('[data-live]');
    if (!answer.ok || now === null) return false;
    shown.replaceChildren(...now.childNodes);
    return true;
  };
  const later = () =>
    setTimeout(async () => {
      // What can be done is another now: that is a page of its own.
      if (await look()) later();
      else location.reload();
    }, pace);
  later();
})();
