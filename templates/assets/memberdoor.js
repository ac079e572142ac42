// Adds to pages that work without it: a button that shows the password, the slot of the next digit, and a form that sends itself.
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
    input.form.addEventListener('submit', () => {
      input.type = 'password';
    });
    box.append(button);
  }
  for (const slots of document.querySelectorAll('.slots span')) {
    const input = slots.previousElementSibling;
    const mark = () => {
      // What stands between digits is dropped, and digits of other scripts are shown as the TV shows them.
      const digits = input.value
        .normalize('NFKC')
        .replace(/[\s\p{Pd}\u2212]/gu, '')
        .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => digit.charCodeAt(0) & 15);
      if (digits !== input.value && input.selectionStart === input.value.length) input.value = digits;
      for (const [index, slot] of [...slots.children].entries()) {
        slot.className = index === Math.min(input.selectionStart, slots.children.length - 1) ? 'now' : '';
      }
    };
    slots.className = 'live';
    mark();
    document.addEventListener('selectionchange', mark);
    input.addEventListener('input', mark);
  }
  const form = document.querySelector('form[data-submit-at-once]');
  if (form) form.submit();
})();
