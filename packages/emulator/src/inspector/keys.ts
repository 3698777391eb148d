import { SCOPES } from '@qr-service/core';
import { Hono, type Context } from 'hono';
import { html } from 'hono/html';
import type { KeyOptions } from '../config/keyOptions.ts';
import { KEY_FIELDS, readKey } from '../config/readKey.ts';
import type { EmulatorContext } from '../control/context.ts';
import type { Env } from '../http/env.ts';
import type { ApiKey } from '../store/records.ts';
import { checkObject } from '../validation/checkObject.ts';
import type { SendPage } from './html/page.ts';
import { panes } from './html/panes.ts';
import { badge, blockList, chips, confirmedAction, dateTime, shownOnce, type Html } from './html/parts.ts';
import { checkboxes, createPanel } from './html/forms.ts';
import { PageError } from './routing/PageError.ts';
import { readForm, readList, readUtc, redirectWithNotice } from './routing/form.ts';

/** What was typed into the form. */
interface KeyInput {
  name: string;
  scopes: readonly string[];
  expiresAt: string;
  addresses: string;
}

const NEW_KEY: KeyInput = { name: '', scopes: SCOPES, expiresAt: '', addresses: '' };

/** `/keys`: lists, creates and revokes API keys. */
export function keyRoutes({ store, now }: EmulatorContext, send: SendPage): Hono<Env> {
  function show(c: Context<Env>, { top = html``, form = keyForm(NEW_KEY), status = 200 }) {
    return send(c, {
      tab: 'API keys',
      status,
      body: panes({
        heading: 'API keys',
        tools: form,
        list: html`${top} ${keyList(store.apiKeys.all(), now())}`,
        listPath: '/keys',
      }),
    });
  }

  const routes = new Hono<Env>();
  routes.get('/', (c) => show(c, {}));
  routes.post('/', async (c) => {
    const field = await readForm(c);
    const input: KeyInput = {
      name: field('name'),
      scopes: await readList(c, 'scopes'),
      expiresAt: field('expiresAt'),
      addresses: field('addresses'),
    };
    try {
      const { apiKey } = store.apiKeys.create(readKey(readOptions(input)));
      return await show(c, { top: shownOnce('API key', apiKey, 'Created. Copy the key now:'), status: 201 });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return show(c, { form: keyForm(input, error.message), status: 422 });
    }
  });
  routes.post('/:id/revoke', (c) => {
    if (!store.apiKeys.revoke(c.req.param('id'), now()))
      throw new PageError(404, 'Key not found. It may have been revoked.');
    return redirectWithNotice(c, '/keys', 'revoked');
  });
  return routes;
}

/** @throws TypeError naming what is invalid */
function readOptions({ name, scopes, expiresAt, addresses }: KeyInput): KeyOptions {
  if (name === '') throw new TypeError('The key needs a name.');
  if (scopes.length === 0) throw new TypeError('Choose at least one scope.');
  const allowedAddresses = addresses.split(/[\s,]+/).filter(Boolean);
  const options = {
    name,
    scopes,
    ...(expiresAt === '' ? {} : { expiresAt: readUtc('The expiry', expiresAt) }),
    ...(allowedAddresses.length === 0 ? {} : { allowedAddresses }),
  };
  checkObject(options, '', KEY_FIELDS);
  return options as KeyOptions;
}

function keyForm({ name, scopes, expiresAt, addresses }: KeyInput, problem?: string): Html {
  return createPanel(
    'New key',
    '/keys',
    problem,
    html`<p>
        <label for="key-name">Name</label>
        <input id="key-name" name="name" required maxlength="200" value="${name}" autocomplete="off" />
      </p>
      ${checkboxes('scopes', 'Scopes', SCOPES, scopes)}
      <p>
        <label for="key-expires">Expires, in UTC <span class="quiet">(leave empty for never)</span></label>
        <input id="key-expires" name="expiresAt" type="datetime-local" value="${expiresAt}" />
      </p>
      <p>
        <label for="key-addresses"
          >Allowed IP addresses or ranges <span class="quiet">(leave empty for all)</span></label
        >
        <input
          id="key-addresses"
          name="addresses"
          value="${addresses}"
          placeholder="203.0.113.7, 10.0.0.0/8"
          autocomplete="off"
        />
      </p>`,
  );
}

function keyList(keys: readonly ApiKey[], now: number): Html {
  return blockList(
    keys.map((key) => {
      const { id, name, scopes, expiresAt, revokedAt, allowedAddresses } = key;
      return {
        id,
        title: html`${name} ${stateBadge(key, now)}`,
        facts: [
          ['Scopes', chips(scopes, SCOPES)],
          ['Expires', expiresAt === null ? 'never' : dateTime(expiresAt)],
          ...(allowedAddresses === null ? [] : [['Addresses', allowedAddresses.join(', ')] as const]),
          ['ID', html`<code>${id}</code>`],
        ],
        actions:
          revokedAt === null
            ? confirmedAction(
                `/keys/${id}/revoke`,
                'Revoke',
                'Requests with this key will get 401 invalid_api_key from now on.',
                `revoke-${id}`,
              )
            : undefined,
      };
    }),
  );
}

function stateBadge({ revokedAt, expiresAt }: ApiKey, now: number): Html {
  if (revokedAt !== null) return badge('revoked', 'idle');
  return expiresAt !== null && expiresAt <= now ? badge('expired', 'warn') : badge('active', 'good');
}
