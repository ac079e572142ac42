// Says what follows from the address of a new client while it is typed.
(() => {
  const build = document.querySelector('.build');
  if (build === null) return;
  const { address } = build.elements;
  // What follows from the address, as the server will have it (`core/oidc/client/kind.ts`).
  const follow = () => {
    for (const line of build.querySelectorAll('[data-home]')) {
      const { home, keeps } = line.dataset;
      let base = (address.value.trim() || home).replace(/\/+$/, '');
      if (keeps !== undefined && /^[a-z][\w-]*(\.[\w-]+)+:?$/i.test(base) && line.matches('.native_app'))
        base = base.toLowerCase().replace(/:?$/, ':');
      else if (base !== '' && !base.includes(':/'))
        base = `${/^(localhost|127\.0\.0\.1)/.test(base) ? 'http' : 'https'}://${base}`;
      const origin = base.startsWith('http') ? base.split('/', 3).join('/') : base.replace(/:.*/, ':');
      const isWhole = keeps !== undefined && base !== origin;
      for (const code of line.querySelectorAll('[data-pattern]')) {
        const { pattern } = code.dataset;
        const filled = pattern
          .replace('{base}', isWhole ? origin : base || '…')
          .replace('{origin}', origin || '…');
        code.textContent = isWhole && pattern.endsWith('callback') ? base : filled;
      }
    }
  };
  address.addEventListener('input', follow);
})();
