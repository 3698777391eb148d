/* global document, location, history, navigator, DOMParser, Element, EventSource, fetch, setTimeout, URL */

/*
 * Keeps the page up to date and saves reloads. Everything works without it: each page is whole as it is served.
 */

/** What a page has of its own; the rest is the same on all. */
const REGIONS = ['tabs', 'main'];
/** A live region that says something several times a second is heard by nobody. */
const ANNOUNCE_MS = 3000;

document.documentElement.classList.add('script');
document.addEventListener('click', copy);
document.addEventListener('click', follow);
globalThis.addEventListener('popstate', () => void show(location.href));
listen();

/** Looks again whenever the emulator says that something has changed. */
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
    state.textContent = 'Not connected';
    state.classList.add('lost');
  };
  source.addEventListener('change', () => void refresh());
}

let refreshing = false;
let stale = false;

/** Asks for the page again; one at a time, however fast things change. */
async function refresh() {
  stale = true;
  if (refreshing) return;
  refreshing = true;
  while (stale) {
    stale = false;
    // What was done is said once, not at every change.
    const address = new URL(location.href);
    address.searchParams.delete('notice');
    await show(address.href, { keepsNotice: true }).catch(() => undefined);
  }
  refreshing = false;
}

/** Puts what stands at an address in place of what is shown. */
async function show(address, { keepsNotice = false } = {}) {
  const before = location.href;
  const response = await fetch(address, { headers: { Accept: 'text/html' } });
  if (!response.headers.get('Content-Type')?.startsWith('text/html')) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  // Meanwhile another page was opened.
  if (keepsNotice && location.href !== before) return;
  if (keepsNotice) keepNotice(page);
  document.title = page.title;
  // What went wrong stays until it is read.
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
 * Makes one element like another without replacing what stays: focus, what is typed, what is folded open and
 * where it is scrolled to are kept. Children with an id are found again by it.
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

/** Opens a row's details beside the list, which stays as it is. */
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

function matchesWide() {
  return globalThis.matchMedia('(min-width: 920px)').matches;
}

/** Copies what a button holds. */
async function copy(event) {
  const button = event.target.closest?.('[data-copy]');
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed';
  }
  setTimeout(() => (button.textContent = 'Copy'), 1500);
}

let said = '';
let mayAnnounceAt = 0;

/** Says how many there are to those who don't see it, at most every few seconds. */
function announce() {
  const tab = document.querySelector('#tabs [aria-current]')?.textContent.replace(/\s+/g, ' ').trim() ?? '';
  if (said === '') said = tab;
  if (tab === said || Date.now() < mayAnnounceAt) return;
  said = tab;
  mayAnnounceAt = Date.now() + ANNOUNCE_MS;
  document.getElementById('announcer').textContent = tab;
}
