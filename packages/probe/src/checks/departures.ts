import { compareCode, compareResponse, type Departure } from '../contract/compareResponse.ts';
import { FINDING_IDS, type FindingId } from '../findings/catalog.ts';
import { endpointOf } from '../http/Connection.ts';
import { isSuccess, type Exchange } from '../http/Exchange.ts';
import { showName } from '../http/redact.ts';
import { isObject } from './listForm.ts';
import { imageQuestion, type Probe } from './Probe.ts';

const MAX_ROWS = 200;
const MAX_DEPARTURES = 20;

/** Departures from openapi.yaml in all responses, by the question that they belong to. */
export async function findDepartures(probe: Probe): Promise<Map<FindingId, string[]>> {
  const found = new Map<FindingId, Set<string>>(FINDING_IDS.map((id) => [id, new Set()]));
  const note = (id: FindingId, text: string) => found.get(id)?.add(text);
  for (const exchange of probe.connection.exchanges) {
    const { request, status, text, headers } = exchange;
    const { method, path } = request;
    const from = `${endpointOf(request)}${isSuccess(exchange) ? '' : `, status ${status}`}`;
    const isEmpty = request.isImage === true && isSuccess(exchange) ? false : text.trim() === '';
    const { json, place } = unwrapped(exchange);
    const all = compareResponse({ method, path, status, headers, json, isEmpty });
    if (place !== undefined) note(method === 'POST' ? 'codes.create' : 'codes.record', `${from}: ${place}`);
    for (const departure of all) {
      // A header is the same on all responses.
      const prefix = departure.part === 'header' ? '' : `${from}: `;
      note(questionOf(departure, exchange), `${prefix}${departure.text}`);
    }
    for (const departure of await rowDepartures(probe, exchange))
      note('codes.fields', `${from}, each row: ${departure.text}`);
  }
  return new Map(
    [...found].flatMap(([id, texts]) =>
      texts.size === 0 ? [] : [[id, [...texts].slice(0, MAX_DEPARTURES)]],
    ),
  );
}

/** A code inside an object is one departure, not one for each of its fields. */
function unwrapped({ request, json, status }: Exchange): { json: unknown; place?: string } {
  const isCode =
    (request.method === 'GET' && /^\/qr\/[^/]+$/.test(request.path)) ||
    (request.method === 'POST' && request.path === '/qr');
  if (!isCode || status >= 300 || !isObject(json) || Object.hasOwn(json, 'id')) return { json };
  const [name, other] = Object.keys(json).filter((key) => isCodeLike(json[key]));
  return name === undefined || other !== undefined
    ? { json: undefined, place: "the body isn't a code, and doesn't contain one" }
    : { json: json[name], place: `the code is inside ${showName(name)}` };
}

function isCodeLike(value: unknown): boolean {
  return (
    isObject(value) &&
    'id' in value &&
    ['slug', 'publicUrl', 'mode', 'contentType'].some((key) => key in value)
  );
}

/** The codes of a list, as the connector reads them. */
async function rowDepartures(probe: Probe, exchange: Exchange): Promise<Departure[]> {
  const { method, path } = exchange.request;
  if (method !== 'GET' || !isSuccess(exchange) || path !== '/qr') return [];
  const { result: page } = await probe.read([exchange], (client) => client.qr.listPage({ limit: 1 }));
  return (page?.rows ?? []).slice(0, MAX_ROWS).flatMap((row) => compareCode(row));
}

function questionOf(departure: Departure, { request, status }: Exchange): FindingId {
  if (departure.part === 'header') return 'limits.headers';
  if (status >= 400) return 'errors.body';
  const { method, path } = request;
  if (path.endsWith('/image')) return imageQuestion(request.query);
  if (path === '/me') return 'account.body';
  if (path === '/webhooks') return 'webhooks.subscription';
  if (path.endsWith('/publish')) return 'codes.publish';
  if (path.endsWith('/destination')) return 'codes.destination';
  if (path === '/scans') return 'scans.list';
  if (path === '/qr' && method === 'GET') return 'lists.key';
  return method === 'POST' ? 'codes.create' : 'codes.fields';
}
