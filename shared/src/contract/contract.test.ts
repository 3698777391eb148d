import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { API_PATH, BRAND } from './brand.ts';
import { ERROR_CODES } from './errorCodes.ts';
import { EVENTS, EVENT_TYPES } from './events.ts';
import { FEEDBACK_EVENT_FIELDS, QR_CODE_FIELDS } from './fields.ts';
import { headerNames } from './headers.ts';
import { SAMPLE_QR_CODE } from './samples.ts';
import { OPERATION_SCOPES, SCOPES } from './scopes.ts';
import { IMAGE_FORMATS } from './types.ts';

// The parsed file is read as any node of JSON: the assertions say what each place must hold.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Node = any;

const contract: Node = parse(readFileSync(join(__dirname, '../../contract/openapi.yaml'), 'utf8'));
const { schemas, securitySchemes } = contract.components;

/** Follows a `$ref`, if the node is one. */
function resolve(node: Node): Node {
  if (!node.$ref) return node;
  return node.$ref
    .slice('#/'.length)
    .split('/')
    .reduce((at: Node, key: string) => at[key], contract);
}

/** Every value of a key, anywhere in the file. */
function valuesOf(key: string, node: Node = contract): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([k, value]) => (k === key ? [value] : valuesOf(key, value)));
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const operations: Node[] = Object.entries<Node>(contract.paths).flatMap(([path, item]) =>
  Object.keys(item)
    .filter((key) => METHODS.includes(key))
    .map((method) => ({ path, method, ...item[method] })),
);
const responses = operations.flatMap((operation) =>
  Object.entries<Node>(operation.responses).map(([status, response]) => ({
    name: `${operation.operationId} ${status}`,
    status,
    response: resolve(response),
  })),
);

describe('the operations', () => {
  it('are the endpoints of the API text, each with its scope', () => {
    const table = operations.map(({ method, path, ...rest }) => [method, path, rest['x-scope']]);
    expect(table).toEqual([
      ['get', '/me', null],
      ['post', '/qr', 'qr:write'],
      ['get', '/qr', 'qr:read'],
      ['post', '/workspaces/{workspaceId}/qr', 'qr:write'],
      ['get', '/workspaces/{workspaceId}/qr', 'qr:read'],
      ['get', '/qr/{id}', 'qr:read'],
      ['post', '/qr/{id}/publish', 'qr:write'],
      ['get', '/qr/{id}/image', 'exports:read'],
      ['post', '/qr/{id}/destination', 'qr:write'],
      ['post', '/webhooks', 'webhooks:write'],
      ['get', '/scans', 'analytics:read'],
    ]);
  });

  it('have the scopes that the client names', () => {
    const { 'webhooks.unsubscribe': unsubscribe, ...documented } = OPERATION_SCOPES;
    const current = operations.filter(({ path }) => !path.startsWith('/workspaces/'));
    const scopes = Object.fromEntries(current.map((o) => [o.operationId, o['x-scope'] ?? undefined]));
    expect(scopes).toStrictEqual(documented);
    expect(unsubscribe).toBe(OPERATION_SCOPES['webhooks.subscribe']);
  });

  it('stand under the address, path and key header of the brand', () => {
    const [server] = contract.servers;
    expect(server.url).toBe(`{base_url}${API_PATH}`);
    expect(server.variables.base_url.default).toBe(BRAND.baseUrl);
    expect(securitySchemes.bearerKey).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(securitySchemes.apiKeyHeader).toMatchObject({ in: 'header', name: headerNames().apiKey });
    expect(contract.security).toEqual([{ bearerKey: [] }, { apiKeyHeader: [] }]);
  });

  it('take an Idempotency-Key wherever they write', () => {
    for (const { operationId, method, parameters = [] } of operations) {
      const names = parameters.map((parameter: Node) => resolve(parameter).name);
      expect([operationId, names.includes('Idempotency-Key')]).toEqual([operationId, method === 'post']);
    }
  });

  it.each(responses)('answer with the rate-limit headers: $name', ({ status, response }) => {
    const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
    expect(Object.keys(response.headers)).toEqual(status === '429' ? [...limits, 'Retry-After'] : limits);
  });

  it('render the formats that the client knows', () => {
    const [format] = contract.paths['/qr/{id}/image'].get.parameters;
    expect(format.schema.enum).toEqual(IMAGE_FORMATS);
  });
});

describe('the scopes', () => {
  it('are those of the data', () => {
    expect(schemas.Scope.enum).toEqual(SCOPES);
  });
});

describe('the error codes', () => {
  it('are those of the data', () => {
    expect(schemas.ErrorCode.enum).toEqual(Object.keys(ERROR_CODES));
  });

  it('come with the statuses of the data', () => {
    const statusOf = responses.flatMap(({ status, response }) =>
      valuesOf('code', response.content)
        .flatMap((code: Node) => code.enum)
        .map((code: string) => [code, Number(status)]),
    );
    const expected = Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(statusOf)).toEqual(Object.fromEntries(expected));
  });
});

describe('the events', () => {
  it('are those of the data', () => {
    expect(Object.keys(contract.webhooks)).toEqual(EVENT_TYPES);
    expect(schemas.EventType.enum).toEqual(EVENT_TYPES);
    expect(EVENT_TYPES).toHaveLength(14);
  });

  it.each(EVENT_TYPES)('%s is delivered in its envelope, signed, and acknowledged by any 2xx', (type) => {
    const { parameters, requestBody, responses: answers } = contract.webhooks[type].post;
    const [envelope, narrowed] = requestBody.content['application/json'].schema.allOf;
    expect(resolve(envelope)).toBe(schemas.WebhookEvent);
    expect(narrowed.properties.type.const).toBe(type);
    expect('x-gap' in narrowed.properties.data).toBe(!EVENTS[type].dataDocumented);

    const { timestamp, signature, signatureV0, delivery, event } = headerNames();
    const headers = parameters.map(resolve).map((h: Node) => [h.name, h.deprecated === true]);
    expect(new Map(headers)).toEqual(
      new Map([
        [timestamp, false],
        [signature, false],
        [signatureV0, true],
        [delivery, false],
        [event, false],
      ]),
    );
    expect(Object.keys(answers)).toEqual(['2XX', 'default']);
    expect(resolve(answers.default).description).toContain('up to six times');
  });
});

describe('the fields shown to people', () => {
  it('are those of a QR code', () => {
    expect(QR_CODE_FIELDS.map(({ key }) => key)).toEqual(schemas.QrCodeSummary.required);
    expect(Object.keys(SAMPLE_QR_CODE)).toEqual(schemas.QrCodeSummary.required);
  });

  it('are those of a feedback answer', () => {
    const { required } = schemas.FeedbackResponseReceivedData;
    expect(FEEDBACK_EVENT_FIELDS.map(({ key }) => key)).toEqual(required);
  });
});

describe('the gaps', () => {
  it('are all those that the API text names, in its words', () => {
    const gaps = valuesOf('x-gap');
    for (const gap of gaps) expect(gap).toMatch(/^\S.*: not shown\.$/);
    const named = { resources: 4, states: 3, endpoints: 7, events: 4, errors: 3, limits: 3 };
    expect(new Set(gaps).size).toBe(Object.values(named).reduce((sum, count) => sum + count));
  });
});
