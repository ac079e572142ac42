// A button that copies what stands before it.
(() => {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll('[data-copy]')) {
    const { copy, copied, label } = block.dataset;
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', className: 'small', textContent: copy });
    button.setAttribute('aria-label', label);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent.trim());
      button.textContent = copied;
      button.setAttribute('aria-label', copied);
    });
    block.after(button);
  }
})();
