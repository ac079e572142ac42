// Shows a look while it is chosen: the preview follows the form, and pictures are made small enough to be sent.
(() => {
  const form = document.querySelector('[data-seen]');
  if (form === null) return;
  // What is chosen is shown at once: the button is for those without this script.
  const show = form.querySelector('[formtarget]');
  show.hidden = true;
  let waiting;
  form.addEventListener('input', ({ target }) => {
    // A colour is written or picked: the one follows the other.
    const written = form.elements[target.name.replace(':picked', '')];
    const picked = form.elements[`${target.name}:picked`];
    if (written !== target && target.type === 'color') written.value = target.value;
    if (picked !== undefined && /^#[\da-f]{6}$/i.test(target.value)) picked.value = target.value;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      form.requestSubmit(show);
    }, 300);
  });

  /** A picture of at most so many bytes and pixels; null where it cannot be made. */
  const smaller = async (file, bytes, pixels) => {
    const bitmap = await createImageBitmap(file);
    const canvas = document.createElement('canvas');
    const largest = Math.max(bitmap.width, bitmap.height);
    for (let side = Math.min(largest, pixels); side >= 32; side *= 0.8) {
      canvas.width = Math.round((bitmap.width * side) / largest);
      canvas.height = Math.round((bitmap.height * side) / largest);
      canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      for (const quality of [0.9, 0.75]) {
        const blob = await new Promise((done) => canvas.toBlob(done, 'image/webp', quality));
        if (blob !== null && blob.size <= bytes) return new File([blob], file.name, { type: blob.type });
      }
    }
    return null;
  };
  for (const input of form.querySelectorAll('[data-bytes]')) {
    const { bytes, pixels } = input.dataset;
    input.addEventListener('change', async () => {
      const [file] = input.files;
      if (file === undefined || file.type === 'image/svg+xml' || file.size <= bytes) return;
      const made = await smaller(file, Number(bytes), Number(pixels)).catch(() => null);
      if (made === null || input.files[0] !== file) return;
      const list = new DataTransfer();
      list.items.add(made);
      input.files = list.files;
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }
})();
