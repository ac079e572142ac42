// Counts down to when a mail may be sent again, and lets its button be pressed then.
(() => {
  const button = document.querySelector('[data-wait]');
  if (!button) return;
  const text = document.querySelector('.waits');
  const time = text.querySelector('bdi');
  const until = Date.now() + button.dataset.wait * 1000;
  const tick = () => {
    const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    time.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    button.disabled = left > 0;
    text.hidden = left === 0;
    if (left > 0) setTimeout(tick, 250);
  };
  tick();
})();
