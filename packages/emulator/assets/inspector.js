/* global Idiomorph, document, location, history, navigator, DOMParser, EventSource, fetch, setTimeout */

// Keeps the page up to date without reloads. The pages also work without this script.

document.documentElement.classList.add('script');

const live = document.getElementById('live');
const source = new EventSource('/live');
const say = (text, tone) =>
  Object.assign(live, { textContent: `● ${text}`, className: `live small ${tone}` });
source.onopen = () => say('Live', 'good');
source.onerror = () => say('Disconnected', 'warn');

// One request at a time, however fast things change.
let refreshed = Promise.resolve();
source.addEventListener('change', () => (refreshed = refreshed.then(() => show(location.href, keepsInput))));

/** Shows the page at an address by changing what differs, so that the focus stays where it is. */
async function show(address, beforeAttributeUpdated = () => true) {
  const before = location.href;
  const response = await fetch(address).catch(() => undefined);
  const page = new DOMParser().parseFromString((await response?.text()) ?? '', 'text/html');
  // The emulator is gone, or the user has opened another page in the meantime.
  if (page.getElementById('main') === null || location.href !== before) return;
  // An error stays until the user leaves the page.
  const isStill = beforeAttributeUpdated === keepsInput && document.querySelector('[data-still]') !== null;
  document.title = page.title;
  for (const id of isStill ? ['tabs'] : ['tabs', 'main'])
    Idiomorph.morph(document.getElementById(id), page.getElementById(id), {
      callbacks: { beforeAttributeUpdated },
    });
}

/** Keeps what the user has opened, typed or checked. */
function keepsInput(attribute, { value, defaultValue, checked, defaultChecked }) {
  const isTouched = value !== defaultValue || checked !== defaultChecked;
  return attribute !== 'open' && !(isTouched && ['value', 'checked'].includes(attribute));
}

// Opens details beside the list without a reload.
document.addEventListener('click', async (event) => {
  const link = event.target.closest('main a:not([target])');
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  await show(link.href);
  history.pushState(null, '', link.href);
  document.getElementById(document.getElementById('detail') ? 'detail-heading' : 'main').focus();
});
globalThis.addEventListener('popstate', () => show(location.href));

document.addEventListener('click', async ({ target }) => {
  if (target.dataset.copy === undefined) return;
  await navigator.clipboard.writeText(target.dataset.copy);
  target.textContent = 'Copied';
  setTimeout(() => (target.textContent = 'Copy'), 1500);
});
