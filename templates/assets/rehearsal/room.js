// Adds to the room, which works without it: what is new stands there at once, buttons leave the page where it is, and
// times run down.
(() => {
  const room = document.getElementById('room');
  if (!room || !window.EventSource) return;

  // Brings a part up to date with what was sent, and leaves alone what is as it was: focus, scrolling, the phone's page.
  const keyOf = (node) => (node.nodeType === 1 && node.id) || null;
  const attributes = (old, fresh) => {
    for (const { name } of [...old.attributes]) {
      if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
  };
  const update = (old, fresh) => {
    if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || keyOf(old) !== keyOf(fresh)) {
      old.replaceWith(fresh);
      return;
    }
    if (old.nodeType !== 1) {
      if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
      return;
    }
    if (old.nodeName === 'IFRAME') {
      // The page goes its own ways from where it was opened.
      if (old.dataset.opened !== fresh.dataset.opened) old.replaceWith(fresh);
      return;
    }
    attributes(old, fresh);
    children(old, fresh);
  };
  const children = (old, fresh) => {
    const known = new Map([...old.children].filter(keyOf).map((node) => [node.id, node]));
    const kept = new Set([...fresh.children].map(keyOf));
    for (const node of known.values()) if (!kept.has(node.id)) node.remove();
    let at = old.firstChild;
    for (const next of [...fresh.childNodes]) {
      const same = known.get(keyOf(next));
      if (same && same !== at) old.insertBefore(same, at);
      else if (!at || (keyOf(at) && keyOf(at) !== keyOf(next))) {
        old.insertBefore(next, at);
        continue;
      }
      const target = same ?? at;
      at = target.nextSibling;
      update(target, next);
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
    }
  };

  const log = () => document.getElementById('log');
  const isAtEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 48;
  const toEnd = () => {
    const box = log();
    if (box) box.scrollTop = box.scrollHeight;
  };
  const show = (html) => {
    const box = log();
    const follows = !box || isAtEnd(box);
    const fresh = new DOMParser().parseFromString(html, 'text/html').getElementById('room');
    if (!fresh) return;
    const { now, stands } = fresh.dataset;
    update(room, fresh);
    readAt = { now: Number(now), stands: stands === 'true', at: performance.now() };
    if (follows) toEnd();
    tick();
  };

  // Times of the tenant's clock, which may stand.
  let readAt = {
    now: Number(room.dataset.now),
    stands: room.dataset.stands === 'true',
    at: performance.now(),
  };
  const two = (number) => String(number).padStart(2, '0');
  const tick = () => {
    const now = readAt.now + (readAt.stands ? 0 : performance.now() - readAt.at);
    const reading = document.querySelector('[data-clock]');
    const date = new Date(now);
    if (reading)
      reading.textContent = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
    for (const left of document.querySelectorAll('[data-left]')) {
      const seconds = Math.max(0, Math.ceil((Number(left.dataset.left) - now) / 1000));
      const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
      left.textContent = left.dataset.said.replace('{time}', time);
    }
  };
  setInterval(tick, 1000);

  // One look at a time; what comes meanwhile is looked at after it.
  let looking = false;
  let again = false;
  const look = async () => {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    try {
      const answer = await fetch(location.href);
      if (answer.ok) show(await answer.text());
    } catch {
      // The service is stopping, or gone: the stream comes back when it does.
    }
    looking = false;
    if (again) {
      again = false;
      look();
    }
  };
  let soon = 0;
  const lookSoon = () => {
    clearTimeout(soon);
    soon = setTimeout(look, 40);
  };

  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (form.method !== 'post' || form.dataset.leaves !== undefined) return;
    event.preventDefault();
    const { submitter } = event;
    const body = new URLSearchParams(new FormData(form, submitter));
    submitter?.setAttribute('aria-busy', 'true');
    try {
      const answer = await fetch(form.action, { method: 'POST', body });
      const type = answer.headers.get('content-type') ?? '';
      // What came is the whole room: one client's log, or an older part of it, is asked for anew.
      const isHere = answer.url === location.href;
      if (answer.ok && isHere && type.startsWith('text/html')) show(await answer.text());
      else lookSoon();
    } catch {
      lookSoon();
    }
    submitter?.removeAttribute('aria-busy');
  });

  const events = new EventSource('/rehearsal/events');
  events.addEventListener('entry', lookSoon);
  events.addEventListener('room', lookSoon);
  toEnd();
  tick();
})();
