import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { API_PATH, BRAND } from './brand.ts';
import { ERROR_CODES } from './errorCodes.ts';
import { EVENTS, EVENT_TYPES, UNSEEN_EVENTS, type EventType } from './events.ts';
import { FEEDBACK_EVENT_FIELDS, QR_CODE_FIELDS } from './fields.ts';
import { headerNames } from './headers.ts';
import type { components } from './openapi.types.ts';
import { SAMPLE_QR_CODE } from './samples.ts';
import { OPERATION_SCOPES, SCOPES } from './scopes.ts';
import { IMAGE_FORMATS } from './types.ts';

interface Reference {
  $ref: string;
}
interface Schema {
  enum?: string[];
  const?: string;
  required?: string[];
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
}
interface Parameter {
  name: string;
  deprecated?: boolean;
  schema: Schema;
}
interface Response {
  description: string;
  headers: Record<string, Reference>;
  content: unknown;
}
interface Operation {
  operationId: string;
  'x-scope': string | null;
  parameters?: (Parameter | Reference)[];
  responses: Record<string, Response | Reference>;
}
interface Delivery {
  parameters: Reference[];
  requestBody: { content: { 'application/json': { schema: { allOf: [Reference, DeliverySchema] } } } };
  responses: { '2XX': Reference; default: Reference };
}
interface DeliverySchema {
  properties: { type: Schema; data: Schema | Reference };
}
/** The parts of the contract that these tests read. */
interface Contract {
  servers: [{ url: string; variables: { base_url: { default: string } } }];
  security: unknown;
  paths: Record<string, Partial<Record<string, Operation>>>;
  webhooks: Record<EventType, { post: Delivery }>;
  components: {
    securitySchemes: Record<string, unknown>;
    schemas: Record<keyof components['schemas'], Schema>;
  };
}

const contract = parse(readFileSync(join(__dirname, '../../contract/openapi.yaml'), 'utf8')) as Contract;
const { schemas, securitySchemes } = contract.components;

/** Follows a `$ref`, if the node is one. */
function resolve<T extends object>(node: T | Reference): T {
  if (!('$ref' in node)) return node;
  const keys = node.$ref.slice('#/'.length).split('/');
  return keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], contract) as T;
}

/** Every value of a key, anywhere below a node. */
function valuesOf(key: string, node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([k, value]) => (k === key ? [value] : valuesOf(key, value)));
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    operation && METHODS.includes(method) ? [{ path, method, ...operation }] : [],
  ),
);
const responses = operations.flatMap((operation) =>
  Object.entries(operation.responses).map(([status, response]) => ({
    name: `${operation.operationId} ${status}`,
    status,
    response: resolve(response),
  })),
);

describe('the operations', () => {
  it('match the endpoints of the API text and their scopes', () => {
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

  it('require the scopes that the client names', () => {
    const { 'webhooks.unsubscribe': unsubscribe, ...documented } = OPERATION_SCOPES;
    const current = operations.filter(({ path }) => !path.startsWith('/workspaces/'));
    const scopes = Object.fromEntries(current.map((o) => [o.operationId, o['x-scope'] ?? undefined]));
    expect(scopes).toStrictEqual(documented);
    expect(unsubscribe).toBe(OPERATION_SCOPES['webhooks.subscribe']);
  });

  it('use the base URL, path and key header of the brand', () => {
    const [server] = contract.servers;
    expect(server.url).toBe(`{base_url}${API_PATH}`);
    expect(server.variables.base_url.default).toBe(BRAND.baseUrl);
    expect(securitySchemes.bearerKey).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(securitySchemes.apiKeyHeader).toMatchObject({ in: 'header', name: headerNames().apiKey });
    expect(contract.security).toEqual([{ bearerKey: [] }, { apiKeyHeader: [] }]);
  });

  it('accept an Idempotency-Key for every write', () => {
    for (const { operationId, method, parameters = [] } of operations) {
      const names = parameters.map((parameter) => resolve(parameter).name);
      expect([operationId, names.includes('Idempotency-Key')]).toEqual([operationId, method === 'post']);
    }
  });

  it.each(responses)('return the rate-limit headers: $name', ({ status, response }) => {
    const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
    expect(Object.keys(response.headers)).toEqual(status === '429' ? [...limits, 'Retry-After'] : limits);
  });

  it('render the formats of the client', () => {
    const { parameters = [] } = operations.find(({ operationId }) => operationId === 'qr.render') ?? {};
    const format = parameters.map((parameter) => resolve(parameter)).find(({ name }) => name === 'format');
    expect(format?.schema.enum).toEqual(IMAGE_FORMATS);
  });
});

describe('the scopes', () => {
  it('match the data', () => {
    expect(schemas.Scope.enum).toEqual(SCOPES);
  });
});

describe('the error codes', () => {
  it('match the data', () => {
    expect(schemas.ErrorCode.enum).toEqual(Object.keys(ERROR_CODES));
  });

  it('have the statuses of the data', () => {
    const statusOf = responses.flatMap(({ status, response }) =>
      valuesOf('code', response.content)
        .flatMap((code) => (code as Schema).enum ?? [])
        .map((code) => [code, Number(status)]),
    );
    const expected = Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(statusOf)).toEqual(Object.fromEntries(expected));
  });
});

describe('the events', () => {
  it('match the data', () => {
    expect(Object.keys(contract.webhooks)).toEqual(EVENT_TYPES);
    expect(schemas.EventType.enum).toEqual(EVENT_TYPES);
    expect(EVENT_TYPES).toHaveLength(14);
  });

  it.each(EVENT_TYPES)('deliver %s in its envelope, signed, acknowledged by any 2xx', (type) => {
    const { parameters, requestBody, responses: acknowledgements } = contract.webhooks[type].post;
    const [envelope, narrowed] = requestBody.content['application/json'].schema.allOf;
    expect(resolve<Schema>(envelope)).toBe(schemas.WebhookEvent);
    expect(narrowed.properties.type.const).toBe(type);
    expect('x-gap' in narrowed.properties.data).toBe(!EVENTS[type].dataDocumented);

    const { timestamp, signature, signatureV0, delivery, event } = headerNames();
    const headers = parameters.map((parameter) => resolve<Parameter>(parameter));
    expect(headers.map(({ name }) => name)).toEqual([timestamp, signature, signatureV0, delivery, event]);
    expect(headers.filter(({ deprecated }) => deprecated).map(({ name }) => name)).toEqual([signatureV0]);
    expect(Object.keys(acknowledgements)).toEqual(['2XX', 'default']);
    expect(resolve<Response>(acknowledgements.default).description).toContain('up to six times');
  });
});

describe('the data of events', () => {
  it("isn't listed as unseen if the API text shows it", () => {
    const documented = EVENT_TYPES.filter((type) => EVENTS[type].dataDocumented);
    expect(UNSEEN_EVENTS.filter((type) => documented.includes(type))).toEqual([]);
    expect(new Set(UNSEEN_EVENTS).size).toBe(UNSEEN_EVENTS.length);
  });

  it('shows the state of the code that the event is about', () => {
    const statuses = EVENT_TYPES.filter((type) => EVENTS[type].dataDocumented).map((type) => {
      const { qr } = EVENTS[type].sampleData as { qr?: { status: string } };
      return [type, qr?.status];
    });
    expect(Object.fromEntries(statuses)).toEqual({
      'qr.created': 'unpublished',
      'qr.published': 'published',
      'qr.updated': 'published',
      'qr.archived': 'archived',
      'qr.deleted': 'deleted',
      'feedback.response_received': undefined,
    });
  });
});

describe('the fields shown to users', () => {
  it('match a QR code', () => {
    expect(QR_CODE_FIELDS.map(({ key }) => key)).toEqual(schemas.QrCodeSummary.required);
    expect(Object.keys(SAMPLE_QR_CODE)).toEqual(schemas.QrCodeSummary.required);
  });

  it('match a feedback response', () => {
    const { required } = schemas.FeedbackResponseReceivedData;
    expect(FEEDBACK_EVENT_FIELDS.map(({ key }) => key)).toEqual(required);
  });

  it.each([
    ['a QR code', QR_CODE_FIELDS, schemas.QrCodeSummary],
    ['a feedback response', FEEDBACK_EVENT_FIELDS, schemas.FeedbackResponseReceivedData],
  ])('have the types of %s', (_of, fields, { properties = {} }) => {
    const described = fields.map(({ key, type, nullable }) => {
      const json = type === 'integer' ? 'integer' : 'string';
      return [key, nullable ? [json, 'null'] : json, type === 'datetime' ? 'date-time' : undefined];
    });
    expect(described).toEqual(
      Object.entries(properties).map(([key, { type, format }]) => [key, type, format]),
    );
  });
});

describe('the gaps', () => {
  it("match the API text's gaps, in its words", () => {
    const gaps = valuesOf('x-gap', contract);
    for (const gap of gaps) expect(gap).toMatch(/^\S.*: not shown\.$/);
    const named = { resources: 4, states: 3, endpoints: 7, events: 4, errors: 3, limits: 3 };
    expect(new Set(gaps).size).toBe(Object.values(named).reduce((sum, count) => sum + count));
  });
});
