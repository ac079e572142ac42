// Adds to pages that work without it: a button that copies what is to be copied.
(() => {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll('pre.copy')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copier';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2_000);
    });
    block.before(button);
  }
})();
