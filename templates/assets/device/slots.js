// Marks the slot of the next digit.
(() => {
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
})();
