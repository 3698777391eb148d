import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { API_PATH, BRAND } from './brand.ts';
import { ERROR_CODES } from './errorCodes.ts';
import { EVENTS, EVENT_TYPES } from './events.ts';
import { FEEDBACK_EVENT_FIELDS, QR_CODE_FIELDS, SAMPLE_QR_CODE, SAMPLE_SCAN, SCAN_FIELDS } from './fields.ts';
import { SERVICE_HEADERS } from './headers.ts';
import { missingScopes, OPERATION_SCOPES, SCOPES } from './scopes.ts';
import { IMAGE_FORMATS } from './types.ts';

type Node = Record<string, unknown>;

const contract = parse(readFileSync(join(__dirname, '../../contract/openapi.yaml'), 'utf8')) as Node;

/** The node at a path of keys; a `$ref` on the way is followed. */
function at(...keys: string[]): unknown {
  return keys.reduce((node: unknown, key) => resolve((node as Node)[key]), contract);
}

function resolve(node: unknown): unknown {
  const ref = (node as Node | undefined)?.['$ref'];
  return typeof ref === 'string' ? at(...ref.slice('#/'.length).split('/')) : node;
}

/** Every value of a key, anywhere below a node. */
function valuesOf(key: string, node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([k, value]) => (k === key ? [value] : valuesOf(key, value)));
}

const parameterNames = (node: Node) =>
  ((node['parameters'] ?? []) as unknown[]).map((parameter) => (resolve(parameter) as Node)['name']);

const operations = Object.entries(at('paths') as Node).flatMap(([path, item]) =>
  Object.entries(item as Node)
    .filter(([method]) => ['get', 'put', 'post', 'patch', 'delete'].includes(method))
    .map(([method, operation]) => ({ endpoint: `${method} ${path}`, operation: operation as Node })),
);

describe('the operations', () => {
  const documented = [
    ['get /me', 'me', null],
    ['post /qr', 'qr.create', 'qr:write'],
    ['get /qr', 'qr.list', 'qr:read'],
    ['post /workspaces/{workspaceId}/qr', 'qr.createInWorkspace', 'qr:write'],
    ['get /workspaces/{workspaceId}/qr', 'qr.listInWorkspace', 'qr:read'],
    ['get /qr/{id}', 'qr.get', 'qr:read'],
    ['post /qr/{id}/publish', 'qr.publish', 'qr:write'],
    ['get /qr/{id}/image', 'qr.render', 'exports:read'],
    ['post /qr/{id}/destination', 'qr.retarget', 'qr:write'],
    ['post /webhooks', 'webhooks.subscribe', 'webhooks:write'],
    ['get /scans', 'scans.list', 'analytics:read'],
  ] as const;

  it('match the documented endpoints and their scopes, and accept a key for every write', () => {
    const described = operations.map(({ endpoint, operation }) => {
      const { operationId, 'x-scope': scope } = operation;
      return [endpoint, operationId, scope, parameterNames(operation).includes('Idempotency-Key')];
    });
    expect(described).toEqual(documented.map((row) => [...row, row[0].startsWith('post')]));
  });

  it('require the scopes that the client names', () => {
    const current = documented.filter(([endpoint]) => !endpoint.includes('/workspaces/'));
    const scopes = Object.fromEntries(current.map(([, name, scope]) => [name, scope ?? undefined]));
    expect(OPERATION_SCOPES).toStrictEqual({ ...scopes, 'webhooks.unsubscribe': 'webhooks:write' });
  });
});

describe('the names of the contract and of the code are the same:', () => {
  const responses = operations.flatMap(({ operation }) => Object.entries(operation['responses'] as Node));
  const statuses = responses.flatMap(([status, response]) =>
    valuesOf('code', (resolve(response) as Node)['content'])
      .flatMap((code) => (code as { enum?: string[] }).enum ?? [])
      .map((code) => [code, Number(status)]),
  );
  const { timestamp, signature, signatureV0, delivery, event, apiKey } = SERVICE_HEADERS;
  const ofDelivery = [timestamp, signature, signatureV0, delivery, event];
  const headers = EVENT_TYPES.map((type) => parameterNames(at('webhooks', type, 'post') as Node));
  const withGap = EVENT_TYPES.filter((type) => valuesOf('x-gap', at('webhooks', type)).length > 0);
  const ofCodes = Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status] as const);
  const schema = (name: string, key = 'enum') => at('components', 'schemas', name, key) as string[];
  const formats = valuesOf('enum', at('paths', '/qr/{id}/image', 'get', 'parameters'));

  it.each<[string, unknown, unknown]>([
    ['base URL', at('servers', '0', 'variables', 'base_url', 'default'), BRAND.baseUrl],
    ['path', at('servers', '0', 'url'), `{base_url}${API_PATH}`],
    ['key header', at('components', 'securitySchemes', 'apiKeyHeader', 'name'), apiKey],
    ['scopes', schema('Scope'), SCOPES],
    ['error codes', schema('ErrorCode'), Object.keys(ERROR_CODES)],
    ['statuses of error codes', Object.fromEntries(statuses), Object.fromEntries(ofCodes)],
    ['events', schema('EventType'), EVENT_TYPES],
    ['deliveries', Object.keys(at('webhooks') as Node), EVENT_TYPES],
    ['headers of deliveries', headers, EVENT_TYPES.map(() => ofDelivery)],
    ['undocumented data', withGap, EVENT_TYPES.filter((type) => !EVENTS[type].dataDocumented)],
    ['image formats', formats, [IMAGE_FORMATS]],
    ['sample code', schema('QrCodeSummary', 'required').sort(), Object.keys(SAMPLE_QR_CODE).sort()],
    ['sample scan', SCAN_FIELDS.map(({ key }) => key), Object.keys(SAMPLE_SCAN)],
  ])('%s', (_what, documented, inCode) => expect(documented).toEqual(inCode));

  it.each([
    ['QrCodeSummary', QR_CODE_FIELDS],
    ['FeedbackResponseReceivedData', FEEDBACK_EVENT_FIELDS],
  ])('fields of %s and their types', (schema, fields) => {
    const described = fields.map(({ key, type, nullable }) => {
      const json = type === 'integer' ? 'integer' : 'string';
      return [key, nullable ? [json, 'null'] : json, type === 'datetime' ? 'date-time' : undefined];
    });
    const properties = at('components', 'schemas', schema, 'properties') as Record<string, Node>;
    const documented = Object.entries(properties).map(([key, { type, format }]) => [key, type, format]);
    // The code lists what people need first.
    expect(described).toEqual(expect.arrayContaining(documented));
    expect(described).toHaveLength(documented.length);
  });
});

it('shows each event about a code with the state that it leads to', () => {
  const documented = EVENT_TYPES.filter((type) => EVENTS[type].dataDocumented);
  const samples = documented.map((type) => EVENTS[type].sampleData as { qr?: { status: string } });
  const states = samples.map(({ qr }) => qr?.status ?? 'none');
  expect(states.join(' ')).toBe('draft published published archived deleted none');
});

it('names each scope that a key lacks, with the calls that need it', () => {
  expect(missingScopes([...SCOPES, 'something:new'])).toEqual([]);
  expect(missingScopes(['qr:read', 'webhooks:write', 'analytics:read'])).toEqual([
    { scope: 'qr:write', operations: ['qr.create', 'qr.publish', 'qr.retarget'] },
    { scope: 'exports:read', operations: ['qr.render'] },
  ]);
  const named = missingScopes([]).map(({ scope }) => scope);
  expect(named).toEqual(['qr:read', 'qr:write', 'exports:read', 'analytics:read', 'webhooks:write']);
});
