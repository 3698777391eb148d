// Shows a tool's result in a chat (MCP Apps). Names come from anyone: they are only ever set as text.

/** How to settle the requests to the client, by ID. */
const pending = new Map();
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

function request(method, params) {
  const id = pending.size + 1;
  send({ id, method, params });
  return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
}

/** Calls a tool of the server. Models don't see its result. */
async function callTool(name, code) {
  const result = await request('tools/call', { name, arguments: { code } });
  if (result.isError) throw new Error(result.structuredContent?.results?.[0].error.message);
  return result;
}

/** Adds a paragraph, unless there is nothing to say. */
function say(parent, className, text = '') {
  const line = document.createElement('p');
  line.className = className;
  line.textContent = text;
  if (text) parent.append(line);
}

/** The arguments of the tool's call. */
let args = {};

function describe(facts, { row, outcome, qrCode = {}, error, previousUrl }) {
  const { id, name, publicUrl, status, targetUrl } = qrCode;
  facts.replaceChildren();
  say(facts, 'name', String(name ?? id ?? args.rows?.[row - 1]?.name ?? `Row ${row}`));
  say(facts, '', publicUrl);
  say(facts, '', targetUrl && `→\u00A0${targetUrl}`);
  say(facts, '', previousUrl && `Previously →\u00A0${previousUrl}`);
  const states = new Set([outcome.replace('_', ' '), status]);
  say(facts, error ? 'error' : '', [...states].filter(Boolean).join(' · '));
  say(facts, 'error', error?.message.replace(/ Retry: .*/s, '')); // That is for models.
}

/** Loads what a result lacks: render_qr_codes returns only IDs, and others no images unless asked. */
async function complete(result, attached, facts, picture) {
  const { id, publicUrl } = result.qrCode;
  if (publicUrl === undefined) {
    // The API key may not read it.
    const read = await callTool('get_qr_code', id).catch(() => undefined);
    describe(facts, { ...result, ...read?.structuredContent });
  }
  try {
    const content = attached === undefined ? (await callTool('preview_qr_code', id)).content : [attached];
    const { mimeType, data } = content.find(({ type }) => type === 'image');
    picture.src = `data:${mimeType};base64,${data}`;
  } catch ({ message }) {
    picture.remove();
    document.querySelector('footer').textContent = `No image: ${message}`;
  }
}

function card(result, attached) {
  const section = document.createElement('section');
  const facts = document.createElement('div');
  section.append(facts);
  describe(facts, result);
  if (result.qrCode === undefined) return section;
  const picture = document.createElement('img');
  picture.alt = 'QR code';
  section.prepend(picture);
  // A code is only drawn once it is on the screen.
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    void complete(result, attached, facts, picture);
  });
  observer.observe(section);
  return section;
}

/** Adds a bar for each count. */
function addChart(main, title, counts) {
  const chart = document.createElement('section');
  const largest = Math.max(...Object.values(counts));
  chart.className = 'chart';
  say(chart, 'name', title);
  for (const [label, count] of Object.entries(counts)) {
    say(chart, '', label);
    chart.lastChild.title = label;
    say(chart, 'bar', count);
    chart.lastChild.style.setProperty('--share', count / largest);
  }
  main.append(chart);
  return chart;
}

/** Names the most scanned codes. One that is gone, or that the API key may not read, keeps its ID. */
async function nameCodes(chart) {
  for (const label of [...chart.querySelectorAll('[class=""]:not([title=unknown])')].slice(0, 10)) {
    const read = await callTool('get_qr_code', label.textContent).catch(() => undefined);
    label.textContent = read?.structuredContent.qrCode.name ?? label.textContent;
  }
}

function showCounts(main, { count, perCode, perDay, complete, countedUntil, withoutCode }) {
  const until = countedUntil ?? 'an unknown time';
  say(main, 'name', `${count} ${count === 1 ? 'scan' : 'scans'}`);
  say(main, 'error', complete ? '' : `Not all scans were counted: the last one read is from ${until}.`);
  say(main, '', args.cursor && 'Scans that an earlier result counted are not included.');
  say(main, '', withoutCode && `${withoutCode} were left out because they don't name their code.`);
  if (count === 0) return;
  void nameCodes(addChart(main, 'Per QR code', perCode));
  addChart(main, 'Per day in UTC', perDay);
}

function showResult({ content = [], structuredContent, _meta }) {
  const main = document.querySelector('main');
  const { results, count } = structuredContent ?? _meta?.page ?? {};
  const images = content.filter(({ type }) => type === 'image');
  main.replaceChildren(...(results ?? []).map((result) => card(result, result.image && images.shift())));
  if (count !== undefined) showCounts(main, structuredContent);
  else if (results === undefined) for (const { text } of content) say(main, '', text);
}

function applyContext({ theme, styles }) {
  const { style } = document.documentElement;
  if (theme !== undefined) style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) style.setProperty(name, value);
}

addEventListener('message', ({ source, data }) => {
  if (source !== parent) return;
  const { id, method, params, result, error } = data;
  if (method === 'ui/notifications/tool-input') args = params.arguments ?? {};
  else if (method === 'ui/notifications/tool-result') showResult(params);
  else if (method === 'ui/notifications/host-context-changed') applyContext(params);
  // A ping, or the end of the page.
  else if (method !== undefined && id !== undefined) send({ id, result: {} });
  else if (error === undefined) pending.get(id)?.resolve(result);
  else pending.get(id)?.reject(error);
});

const appInfo = { name: 'qr-service', version: '1' };
const hello = await request('ui/initialize', { protocolVersion: '2026-01-26', appInfo, appCapabilities: {} });
applyContext(hello.hostContext ?? {});
send({ method: 'ui/notifications/initialized', params: {} });
new ResizeObserver(([{ target }]) =>
  send({ method: 'ui/notifications/size-changed', params: { height: target.offsetHeight } }),
).observe(document.documentElement);
