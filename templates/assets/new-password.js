// Says a word on a new password while it is typed. The service has the last word; this sees what needs no list: its
// length, repeats, rows of letters, digits or keys, years, and the names on the page. Nothing of it is sent.
(() => {
  const keys = '1234567890 qwertyuiop asdfghjkl zxcvbnm';
  const follows = (one, other) => Math.abs(one - other) < 2;
  for (const note of document.querySelectorAll('[data-weak]')) {
    const input = note.parentElement.querySelector('input');
    const { least, names, weak, good } = note.dataset;
    input.addEventListener('input', () => {
      const typed = input.value.normalize();
      let rest = typed.toLowerCase().replace(/(19|20)\d\d/g, '');
      const others = [...input.form.querySelectorAll('[type=text], [type=email]')].filter(
        (one) => one !== input,
      );
      for (const name of [names, ...others.map(({ value }) => value)]
        .join(' ')
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)) {
        if (name.length > 2) rest = rest.replaceAll(name, '');
      }
      const surprises = [...rest.replace(/^(.+?)\1+$/su, '$1')].filter(
        (sign, at, all) =>
          at === 0 ||
          !(
            follows(sign.codePointAt(), all[at - 1].codePointAt()) ||
            (keys.includes(sign) && follows(keys.indexOf(sign), keys.indexOf(all[at - 1])))
          ),
      );
      const text = [...typed].length < least ? '' : surprises.length < 6 ? weak : good;
      // Said once, not with each letter.
      if (note.textContent !== text) note.textContent = text;
    });
  }
})();
