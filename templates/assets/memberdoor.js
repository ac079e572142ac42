// Adds to pages that work without it: a button that shows the password, and a form that sends itself.
(() => {
  for (const box of document.querySelectorAll('.with-button')) {
    const input = box.querySelector('input');
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'show';
    button.setAttribute('aria-controls', input.id);
    const offer = (text, label) => {
      button.textContent = text;
      button.setAttribute('aria-label', label);
    };
    const { show, showLabel, hide, hideLabel } = box.dataset;
    offer(show, showLabel);
    button.addEventListener('click', () => {
      const shown = input.type === 'password';
      input.type = shown ? 'text' : 'password';
      if (shown) offer(hide, hideLabel);
      else offer(show, showLabel);
      input.focus();
    });
    // A password is never sent from a field that shows it: browsers would offer it as ordinary text later.
    input.form.addEventListener('submit', (event) => {
      input.type = 'password';
      // Nor with a button that leads another way: the browser would save the password as the right one.
      if (event.submitter?.formNoValidate) input.value = '';
    });
    box.append(button);
  }
  const form = document.querySelector('form[data-submit-at-once]');
  if (form) form.submit();
})();
