// Adds to pages that work without it: times where their reader is, a button that copies, a key that leads to the search.
(() => {
  const { copy, copied, zoned } = document.querySelector('main').dataset;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const wordings = {
    date: { dateStyle: 'medium' },
    time: { hour: '2-digit', minute: '2-digit' },
    both: { dateStyle: 'medium', timeStyle: 'short' },
  };
  for (const time of document.querySelectorAll('time[datetime]')) {
    const format = new Intl.DateTimeFormat('en-GB', wordings[time.dataset.only ?? 'both']);
    time.title = zoned.replace('{utc}', time.dateTime).replace('{zone}', timeZone);
    // A day is one word: only before the time of day a line may break.
    time.textContent = format.format(new Date(time.dateTime)).replaceAll(/(?<!,) /g, '\u00a0');
  }
  // A field for a time takes the reader's own, and sends UTC.
  const pad = (moment) => new Date(moment - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  for (const field of document.querySelectorAll('input[type=datetime-local]')) {
    const sent = document.createElement('input');
    Object.assign(sent, { type: 'hidden', name: field.name, value: field.value });
    field.removeAttribute('name');
    if (field.value !== '') field.value = pad(new Date(`${field.value}Z`));
    field.addEventListener('input', () => {
      sent.value = field.value === '' ? '' : new Date(field.value).toISOString().slice(0, 19);
    });
    field.after(sent);
  }
  for (const note of document.querySelectorAll('[data-zone]')) {
    note.textContent = note.dataset.zone.replace('{zone}', timeZone);
  }
  // Choosing entries of a list: all of them at once, and how many they are.
  for (const form of document.querySelectorAll('form.bulk')) {
    const boxes = [...form.querySelectorAll('input[name=entry]')];
    const acting = form.querySelector('.acting');
    const note = acting.querySelector('[data-count]');
    // All that match, on the other pages too, where the list has some.
    const every = acting.querySelector('[name=all]');
    const all = document.createElement('input');
    all.type = 'checkbox';
    const tell = () => {
      const count = boxes.filter((box) => box.checked).length;
      acting.hidden = count === 0;
      all.checked = count === boxes.length;
      all.indeterminate = count > 0 && !all.checked;
      if (every?.checked && !all.checked) every.checked = false;
      note.textContent = every?.checked ? note.dataset.all : note.dataset.count.replace('{count}', count);
    };
    every?.addEventListener('change', () => {
      for (const box of boxes) box.checked = true;
      tell();
    });
    all.addEventListener('change', () => {
      for (const box of boxes) box.checked = all.checked;
      tell();
    });
    for (const box of boxes) box.addEventListener('change', tell);
    const head = form.querySelector('th.select');
    all.setAttribute('aria-label', head.textContent);
    head.append(all);
    tell();
  }
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
