import { IMAGE_FORMATS } from '@qr-service/core/connector';
import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import { CODE_STATUSES } from '../../config/seed.ts';
import type { EmulatorContext } from '../../control/context.ts';
import type { Env } from '../../http/env.ts';
import { renderCard, SIZES } from '../../render/index.ts';
import type { QrRecord } from '../../store/records.ts';
import { startOf } from '../../store/codes.ts';
import { isAbsoluteUrl, isText } from '../../validation/checks.ts';
import { filterBar, noMatches } from '../html/filterBar.ts';
import type { SendPage } from '../html/page.ts';
import { panes } from '../html/panes.ts';
import { matchesText, pathWith, readFilters, type Filters } from '../routing/filters.ts';
import { PageError } from '../routing/PageError.ts';
import { orPageError, readForm, redirectWithNotice, validate } from '../routing/form.ts';
import { detailPath } from '../routing/paging.ts';
import { codeDetail } from './detail.ts';
import { feedbackInbox } from './feedbackInbox.ts';
import { codeList, createForm } from './list.ts';

const PAGE_SIZE = 48;
/** How many codes are read at once when filtering. */
const BLOCK_SIZE = 500;
const FILTERS = [{ name: 'state', label: 'State', choices: CODE_STATUSES }];
const LATEST_RESPONSES = 20;

/** `/codes`: lists codes and does what the app can do with them. */
export function codeRoutes(context: EmulatorContext, send: SendPage): Hono<Env> {
  const { store, codes, feedback, summarize } = context;
  const link = (code: QrRecord) => summarize(code).publicUrl;

  function find(c: Context<Env>): QrRecord {
    const code = store.qrCodes.find(c.req.param('id') ?? '');
    if (code === undefined) throw new PageError(404, 'Code not found. It may have been deleted.');
    return code;
  }

  function page(
    before: string | undefined,
    filters: Filters,
  ): { codes: QrRecord[]; older: string | undefined } {
    const start = startOf('descending', 0, store.qrCodes.snapshot());
    const placeOf = (code: QrRecord) => store.qrCodes.placeOf('descending', code);
    const from = Number(before ?? start.from);
    let place = Number.isSafeInteger(from) ? { ...start, from } : start;
    const codes: QrRecord[] = [];
    for (;;) {
      const found = store.qrCodes.walk('descending', { ...place, count: BLOCK_SIZE });
      for (const code of found.slice(0, BLOCK_SIZE - 1)) {
        if (!matches(code, filters)) continue;
        if (codes.length === PAGE_SIZE)
          return { codes, older: pathWith('/codes', { ...filters, before: String(placeOf(code)) }) };
        codes.push(code);
      }
      const next = found[BLOCK_SIZE - 1];
      if (next === undefined) return { codes, older: undefined };
      place = { ...place, from: placeOf(next) };
    }
  }

  function matches({ id, name, slug, targetUrl, status }: QrRecord, { q, state }: Filters): boolean {
    return (state === undefined || state === status) && matchesText(q, [name, targetUrl, slug, id]);
  }

  function show(c: Context<Env>, code?: QrRecord) {
    const filters = readFilters(c, ['q', 'state']);
    const before = c.req.query('before');
    const { codes: shown, older } = page(before, filters);
    const isFiltered = Object.keys(filters).length > 0;
    return send(c, {
      tab: 'Codes',
      body: panes({
        heading: 'Codes',
        tools: createForm(),
        filter: filterBar('/codes', 'name, destination or slug', FILTERS, filters),
        list: html`${
          isFiltered && shown.length === 0
            ? noMatches('codes', '/codes')
            : codeList(shown, link, ({ id }) => detailPath(c, `/codes/${id}`, {}, filters), code?.id)
        }
        ${feedbackInbox(store.feedback.latest(LATEST_RESPONSES), (id) => store.qrCodes.find(id)?.name)}`,
        newest: before === undefined ? undefined : pathWith('/codes', filters),
        older,
        detail: code && codeDetail(code, link(code)),
        listPath: pathWith('/codes', { ...filters, before }),
      }),
    });
  }

  const routes = new Hono<Env>();
  routes.get('/', (c) => show(c));
  routes.get('/:id', (c) => show(c, find(c)));

  for (const format of IMAGE_FORMATS)
    routes.get(`/:id/image.${format}`, async (c) => {
      const code = find(c);
      const { bytes, contentType } = await renderCard(link(code), code.name, format, SIZES.default);
      // A code's short link never changes, so its image doesn't either.
      return c.body(bytes, 200, { 'Content-Type': contentType, 'Cache-Control': 'private, max-age=300' });
    });

  routes.post('/', async (c) => {
    const field = await readForm(c);
    const name = validate('The name', field('name'), isText(200));
    const targetUrl = validate('The destination', field('targetUrl'), isAbsoluteUrl);
    const code = codes.create({ name, mode: 'dynamic', contentType: 'url', targetUrl }, 'app');
    if (field('publish') !== '') codes.publish(code, 'app');
    return redirectWithNotice(c, `/codes/${code.id}`, 'created');
  });

  /** Adds a form action for a code, with the notice to show afterwards. */
  const action = (
    name: string,
    notice: string,
    work: (code: QrRecord, field: (name: string) => string) => void,
    next = (code: QrRecord) => `/codes/${code.id}`,
  ) =>
    routes.post(`/:id/${name}`, async (c) => {
      const code = find(c);
      work(code, await readForm(c));
      return redirectWithNotice(c, next(code), notice);
    });

  action('publish', 'published', (code) => {
    if (code.status === 'archived')
      throw new PageError(409, 'This code is archived. Unarchive it before you publish it.');
    codes.publish(code, 'app');
  });
  action('archive', 'archived', (code) => codes.archive(code, 'app'));
  action('restore', 'restored', (code) => codes.restore(code, 'app'));
  action(
    'delete',
    'deleted',
    (code) => codes.delete(code, 'app'),
    () => '/codes',
  );
  action('approve', 'approved', (code) => codes.review(code, 'approved', 'app'));
  action('reject', 'rejected', (code) => codes.review(code, 'rejected', 'app'));
  action('rename', 'renamed', (code, field) =>
    codes.rename(code, validate('The name', field('name'), isText(200)), 'app'),
  );
  action('retarget', 'retargeted', (code, field) =>
    codes.retarget(code, validate('The destination', field('url'), isAbsoluteUrl), 'app'),
  );
  action('feedback', 'answered', (code, field) =>
    orPageError(422, () => feedback.respond(code.id, field('score') === '' ? NaN : Number(field('score')))),
  );

  routes.post('/feedback/:response/resolve', (c) => {
    orPageError(404, () => feedback.resolve(c.req.param('response')));
    return redirectWithNotice(c, '/codes', 'resolved');
  });
  return routes;
}
