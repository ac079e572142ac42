// Adds to pages that work without it: a button that copies what is to be copied, and a key that leads to the search.
(() => {
  const { copy, copied } = document.querySelector('main').dataset;
  const search = document.querySelector('.find input');
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, select, textarea') !== null;
    if (search === null || event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping)
      return;
    event.preventDefault();
    search.focus();
  });
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll('pre.copy')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copier';
    button.textContent = copy;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = copied;
      setTimeout(() => {
        button.textContent = copy;
      }, 2_000);
    });
    block.before(button);
  }
})();
