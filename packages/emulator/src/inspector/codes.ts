import { IMAGE_FORMATS } from '@qr-service/core/connector';
import { html } from 'hono/html';
import type { EmulatorContext } from '../control/context.ts';
import { renderCard, SIZES } from '../domain/render.ts';
import { startOf } from '../store/codes.ts';
import type { QrRecord } from '../store/records.ts';
import { ABSOLUTE_URL, text } from '../validation/checks.ts';
import { readInput } from '../validation/input.ts';
import { createSection, readForm, SHOWN, type Detail, type ReadField } from './section.ts';
import * as ui from './ui.ts';

const TONES: Record<QrRecord['status'], ui.Tone> = { draft: 'idle', published: 'good', archived: 'warn' };
const ALL = { after: 0, since: 0, until: Number.MAX_SAFE_INTEGER, count: Number.MAX_SAFE_INTEGER };

const nameIn = (field: ReadField) => readInput(text(200), field('name'), 'The name');
const targetIn = (field: ReadField) => readInput(ABSOLUTE_URL, field('targetUrl'), 'The destination');

/** `/codes`: lists codes and does what the app can do with them. */
export function codeRoutes(context: EmulatorContext) {
  const { store, codes, summarize } = context;
  const link = (code: QrRecord) => summarize(code).publicUrl;

  const { routes, find } = createSection<QrRecord>(context, {
    name: 'Codes',
    latest: () =>
      store.qrCodes.walk('descending', {
        ...startOf('descending', 0, store.qrCodes.snapshot()),
        count: SHOWN,
      }),
    find: (id) => store.qrCodes.find(id),
    idOf: ({ id }) => id,
    row: (code) => ({
      Code: html`<img
          class="symbol"
          src="/codes/${code.id}/image.svg"
          alt=""
          width="56"
          height="56"
          loading="lazy"
        />
        ${code.name} <span class="quiet small">${withoutScheme(link(code))}</span>`,
      Status: ui.badge(code.status, TONES[code.status]),
      Destination: withoutScheme(code.targetUrl),
      'Updated (UTC)': ui.time(code.updatedAt),
    }),
    detail: (code) => {
      const scans = store.scans.walk(ALL).filter(({ qrId }) => qrId === code.id);
      return codeDetail(code, link(code), scans.length, scans.at(-1)?.scannedAt);
    },
    hint: () => html`<p>No codes yet. Create one here or through the API.</p>`,
    create: { label: 'New code', form: createForm },
  });

  for (const format of IMAGE_FORMATS)
    routes.get(`/:id/image.${format}`, async (c) => {
      const code = find(c);
      const { bytes, contentType } = await renderCard(link(code), code.name, format, SIZES.default);
      // A code's short link never changes, so its image doesn't either.
      return c.body(bytes, 200, { 'Content-Type': contentType, 'Cache-Control': 'private, max-age=300' });
    });

  routes.post('/', async (c) => {
    const field = await readForm(c);
    const name = nameIn(field);
    const targetUrl = targetIn(field);
    const code = codes.create({ name, mode: 'dynamic', contentType: 'url', targetUrl }, 'app');
    if (field('publish') !== '') codes.publish(code, 'app');
    return c.redirect(`/codes/${code.id}?notice=created`, 303);
  });

  const actions: Record<string, (code: QrRecord, field: ReadField) => unknown> = {
    publish: (code) => codes.publish(code, 'app'),
    archive: (code) => codes.archive(code, 'app'),
    unarchive: (code) => codes.restore(code, 'app'),
    delete: (code) => codes.delete(code, 'app'),
    rename: (code, field) => codes.rename(code, nameIn(field), 'app'),
    retarget: (code, field) => codes.retarget(code, targetIn(field), 'app'),
  };
  for (const [name, act] of Object.entries(actions))
    routes.post(`/:id/${name}`, async (c) => {
      const code = find(c);
      act(code, await readForm(c));
      return c.redirect(`/codes${name === 'delete' ? '' : `/${code.id}`}?notice=${name}`, 303);
    });
  return routes;
}

function createForm(): Detail {
  return {
    heading: 'New code',
    body: html`<form method="post" action="/codes" class="stack">
      ${ui.textField('name', 'Name', html`maxlength="200"`)}
      ${ui.textField(
        'targetUrl',
        'Destination',
        html`type="url" maxlength="2048" placeholder="https://example.com/menu"`,
      )}
      <label><input name="publish" type="checkbox" checked /> Publish immediately</label>
      <button class="solid">Create</button>
    </form>`,
  };
}

function codeDetail(code: QrRecord, link: string, scans: number, lastScanAt: number | undefined): Detail {
  const path = `/codes/${code.id}`;
  return {
    heading: code.name,
    body: html`<div class="head">
        <img class="symbol" src="${path}/image.svg" alt="QR code of ${link}" width="180" height="180" />
        <div class="stack">
          <p>${ui.badge(code.status, TONES[code.status])}</p>
          <p>
            <a href="${link}" target="_blank" rel="noopener noreferrer">${link}</a>
            ${ui.copyButton('short link', link)}
          </p>
          <p class="quiet">→ ${code.targetUrl}</p>
          <div class="actions">${stateActions(code, path, link)}</div>
        </div>
      </div>
      <form method="post" action="${path}/retarget" class="field">
        ${ui.textField('targetUrl', 'Destination', html`type="url" maxlength="2048" value="${code.targetUrl}"`)}
        <button>Update</button>
      </form>
      <form method="post" action="${path}/rename" class="field">
        ${ui.textField('name', 'Name', html`maxlength="200" value="${code.name}"`)}
        <button>Rename</button>
      </form>
      ${ui.facts([
        ['Scans', lastScanAt === undefined ? 'none yet' : html`${scans}, latest ${ui.time(lastScanAt)}`],
        [
          'Image',
          html`${IMAGE_FORMATS.map((format) => html`<a href="${path}/image.${format}" target="_blank">${format}</a> `)}`,
        ],
        ['ID', html`<code>${code.id}</code> ${ui.copyButton('ID', code.id)}`],
        ['Approval', code.approvalState],
        ['Updated', ui.time(code.updatedAt)],
      ])}
      ${ui.deleteAction(`${path}/delete`, 'The short link will stop working.')}`,
  };
}

function stateActions({ status }: QrRecord, path: string, link: string): ui.Html {
  if (status === 'archived') return ui.action(`${path}/unarchive`, 'Unarchive');
  return html`${
    status === 'draft'
      ? ui.action(`${path}/publish`, 'Publish', 'solid')
      : html`<a class="button solid" href="${link}" target="_blank" rel="noopener noreferrer">Scan ↗</a>`
  }
  ${ui.action(`${path}/archive`, 'Archive')}`;
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '');
}
