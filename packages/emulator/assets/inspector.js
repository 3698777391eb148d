/* global document, location, history, navigator, DOMParser, Element, EventSource, fetch, setTimeout, URL */

/*
 * Keeps the page up to date without reloads. The pages also work without this script.
 */

/** The regions that differ between pages. */
const REGIONS = ['tabs', 'main'];
/** Screen readers can't follow a live region that changes several times a second. */
const ANNOUNCE_MS = 3000;

document.documentElement.classList.add('script');
document.addEventListener('click', copy);
document.addEventListener('click', follow);
document.addEventListener('submit', omitEmpty);
globalThis.addEventListener('popstate', () => void show(location.href));
listen();

/** Refreshes the page whenever the emulator reports a change. */
function listen() {
  const state = document.getElementById('live');
  state.hidden = false;
  state.textContent = 'Connecting';
  const source = new EventSource('/live');
  source.onopen = () => {
    state.textContent = 'Live';
    state.classList.remove('lost');
  };
  source.onerror = () => {
    state.textContent = 'Disconnected';
    state.classList.add('lost');
  };
  source.addEventListener('change', () => void refresh());
}

let refreshing = false;
let stale = false;

/** Fetches the page again, one request at a time, however fast things change. */
async function refresh() {
  stale = true;
  if (refreshing) return;
  refreshing = true;
  while (stale) {
    stale = false;
    // Show the notice of an action once, not after every change.
    const address = new URL(location.href);
    address.searchParams.delete('notice');
    await show(address.href, { keepsNotice: true }).catch(() => undefined);
  }
  refreshing = false;
}

/** Shows the page at a URL. */
async function show(address, { keepsNotice = false } = {}) {
  const before = location.href;
  const response = await fetch(address, { headers: { Accept: 'text/html' } });
  if (!response.headers.get('Content-Type')?.startsWith('text/html')) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  // The user has opened another page in the meantime.
  if (keepsNotice && location.href !== before) return;
  if (keepsNotice) keepNotice(page);
  document.title = page.title;
  // An error stays until the user leaves the page.
  const isStill = keepsNotice && document.querySelector('[data-still]') !== null;
  for (const id of isStill ? ['tabs'] : REGIONS) {
    const [from, to] = [document.getElementById(id), page.getElementById(id)];
    if (from !== null && to !== null) update(from, to);
  }
  announce();
}

function keepNotice(page) {
  const notice = document.querySelector('main > .notice');
  if (notice !== null) page.getElementById('main')?.prepend(notice.cloneNode(true));
}

/**
 * Updates an element to match another, but keeps the nodes that stay, with their focus, input, open sections and scroll
 * position. Children with an id are matched by it.
 */
function update(from, to) {
  updateAttributes(from, to);
  const old = [...from.childNodes];
  const known = new Map(old.filter(hasId).map((node) => [node.id, node]));
  let place = from.firstChild;
  for (const node of [...to.childNodes]) {
    const match = hasId(node) ? known.get(node.id) : place;
    const fits = match?.nodeName === node.nodeName && hasId(match) === hasId(node);
    if (!fits) {
      const added = document.importNode(node, true);
      from.insertBefore(added, place);
      if (hasId(node) && known.size > 0) added.classList.add('fresh');
      continue;
    }
    if (match === place) place = place.nextSibling;
    else from.insertBefore(match, place);
    if (match instanceof Element) update(match, node);
    else if (match.nodeValue !== node.nodeValue) match.nodeValue = node.nodeValue;
  }
  while (place !== null) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function hasId(node) {
  return node instanceof Element && node.id !== '';
}

function updateAttributes(from, to) {
  for (const { name } of [...from.attributes])
    if (!to.hasAttribute(name) && name !== 'open') from.removeAttribute(name);
  for (const { name, value } of to.attributes)
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
}

/** Opens a row's details beside the list, without a reload. */
function follow(event) {
  const link = event.target.closest?.('a.row-link, .back a, .attempts a');
  const special = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
  if (!link || special) return;
  event.preventDefault();
  void show(link.href).then(
    () => {
      history.pushState(null, '', link.href);
      const target = document.getElementById(link.closest('.back') ? 'main' : 'detail-heading');
      target?.focus({ preventScroll: true });
      document.getElementById('detail')?.scrollTo(0, 0);
      if (!matchesWide()) document.getElementById('main').scrollIntoView();
    },
    () => location.assign(link.href),
  );
}

/** Keeps empty filters out of the address. */
function omitEmpty({ target }) {
  if (!target.matches('.filter')) return;
  for (const field of target.elements) if (field.value === '') field.disabled = true;
}

function matchesWide() {
  return globalThis.matchMedia('(min-width: 920px)').matches;
}

/** Copies a button's text to the clipboard. */
async function copy(event) {
  const button = event.target.closest?.('[data-copy]');
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Copy failed';
  }
  setTimeout(() => (button.textContent = 'Copy'), 1500);
}

let announced = '';
let mayAnnounceAt = 0;

/** Announces the current tab's count to screen readers, throttled. */
function announce() {
  const tab = document.querySelector('#tabs [aria-current]')?.textContent.replace(/\s+/g, ' ').trim() ?? '';
  if (announced === '') announced = tab;
  if (tab === announced || Date.now() < mayAnnounceAt) return;
  announced = tab;
  mayAnnounceAt = Date.now() + ANNOUNCE_MS;
  document.getElementById('announcer').textContent = tab;
}
