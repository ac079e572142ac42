// A button that prints the page, behind what is to be kept on paper.
(() => {
  for (const block of document.querySelectorAll('[data-print]')) {
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', className: 'small', textContent: block.dataset.print });
    button.addEventListener('click', () => print());
    block.after(button);
  }
})();
