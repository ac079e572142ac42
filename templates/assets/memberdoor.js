// Adds to pages that work without it: a button that shows the password, and a form that sends itself.
(() => {
  for (const box of document.querySelectorAll('.with-button')) {
    const input = box.querySelector('input');
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'show';
    button.textContent = box.dataset.show;
    button.setAttribute('aria-controls', input.id);
    button.setAttribute('aria-pressed', 'false');
    button.addEventListener('click', () => {
      const shown = input.type === 'password';
      input.type = shown ? 'text' : 'password';
      button.textContent = shown ? box.dataset.hide : box.dataset.show;
      button.setAttribute('aria-pressed', String(shown));
      input.focus();
    });
    // A password is never sent from a field that shows it: browsers would offer it as ordinary text later.
    input.form.addEventListener('submit', () => {
      input.type = 'password';
    });
    box.append(button);
  }
  const form = document.querySelector('form[data-submit-at-once]');
  if (form) form.submit();
})();
