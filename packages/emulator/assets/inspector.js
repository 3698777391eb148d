// Keeps the page up to date without reloads. The pages also work without this script.

document.documentElement.classList.add('script');

const REFRESH_MS = 500;
const live = document.getElementById('live');
let shown = '';

/** Shows the page at an address by changing what differs, so that the focus stays where it is. */
async function show(address, beforeAttributeUpdated = () => true) {
  const before = location.href;
  const text = await fetch(address).then(
    (response) => response.text(),
    () => undefined,
  );
  const [state, tone] = text === undefined ? ['Disconnected', 'warn'] : ['Live', 'good'];
  Object.assign(live, { textContent: `● ${state}`, className: `live small ${tone}` });
  const isRefresh = beforeAttributeUpdated === keepsInput;
  // The emulator is gone, nothing has changed, or the user has opened another page in the meantime.
  if (text === undefined || (isRefresh && text === shown) || location.href !== before) return;
  const page = new DOMParser().parseFromString(text, 'text/html');
  if (page.getElementById('main') === null) return;
  shown = text;
  document.title = page.title;
  // An error stays until the user leaves the page.
  const isStill = isRefresh && document.querySelector('[data-still]') !== null;
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

async function refresh() {
  if (!document.hidden) await show(location.href, keepsInput);
  setTimeout(refresh, REFRESH_MS);
}
void refresh();

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
