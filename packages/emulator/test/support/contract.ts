import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IncomingHttpHeaders } from 'node:http';
import type { Scope } from '@qr-service/core';
import { API_PATH } from '@qr-service/core/connector';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { parse } from 'yaml';

interface Reference {
  $ref: string;
}
interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  schema: { type?: string };
}
interface Header {
  required?: boolean;
  schema: { type?: string };
}
interface Response {
  headers: Record<string, Header | Reference>;
  content: Record<string, { schema: CodeSchema }>;
}
interface CodeSchema {
  allOf?: { properties?: { code?: { enum: string[] } } }[];
}
interface OperationObject {
  operationId: string;
  'x-scope': Scope | null;
  parameters?: (Parameter | Reference)[];
  requestBody?: object;
  responses: Record<string, Response | Reference>;
}
interface Contract {
  paths: Record<string, Record<string, OperationObject | undefined>>;
  webhooks: Record<string, { post: { parameters: Reference[] } } | undefined>;
}

const ID = 'contract';
/** Where the contract describes failures. Undocumented requests, such as to an unknown path, fail the same way. */
const ANY_RESPONSES = '/paths/~1me/get/responses';
const contract = parse(
  readFileSync(join(__dirname, '../../../../shared/contract/openapi.yaml'), 'utf8'),
) as Contract;
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  // The API text says "absolute URL", which may contain characters that have to be encoded for transport.
  formats: { ...fullFormats, uri: (text: string) => URL.canParse(text) },
});
// Not checked against the meta-schema, because an API description isn't a schema as a whole.
ajv.addSchema(contract, ID, false, false);

/** An operation of the contract. */
export interface Operation {
  operationId: string;
  method: string;
  /** With its parameters in braces. */
  path: string;
  /** What a key needs; null for nothing. */
  scope: Scope | null;
  /** JSON pointer. */
  pointer: string;
}

/** A request and its response. */
export interface Exchange {
  method: string;
  url: string;
  requestBody: string | undefined;
  status: number;
  headers: Headers;
  body: Buffer;
}

/** Every operation of the contract. */
export const OPERATIONS: readonly Operation[] = Object.entries(contract.paths).flatMap(([path, item]) =>
  ['get', 'post'].flatMap((method) => {
    const operation = item[method];
    if (operation === undefined) return [];
    const { operationId, 'x-scope': scope } = operation;
    const pointer = pointerTo('paths', path, method);
    return [{ operationId, method: method.toUpperCase(), path, scope, pointer }];
  }),
);

/** The error codes that the contract documents for an operation. */
export function documentedCodes(operation: Operation): string[] {
  return Object.values((at(operation.pointer) as OperationObject).responses).flatMap((response) => {
    const schema = follow(response).value.content['application/json']?.schema;
    return schema?.allOf?.flatMap(({ properties }) => properties?.code?.enum ?? []) ?? [];
  });
}

/**
 * Checks a response of the API, and the request if it was accepted, against the contract.
 * @throws Error naming every deviation
 */
export function checkExchange(exchange: Exchange): void {
  const { method, status } = exchange;
  const { pathname } = new URL(exchange.url);
  const operation = findOperation(method, pathname.slice(API_PATH.length));
  const problems = [
    ...responseProblems(exchange, operation),
    ...(operation !== undefined && status < 300 ? requestProblems(exchange, operation) : []),
  ];
  throwIfAny(`${method} ${pathname} → ${status}`, problems);
}

/**
 * Checks a delivery against the contract's `webhooks:`.
 * @throws Error naming every deviation
 */
export function checkDelivery({ headers, body }: { headers: IncomingHttpHeaders; body: string }): void {
  const { type } = JSON.parse(body) as { type: string };
  const webhook = contract.webhooks[type]?.post;
  if (webhook === undefined) throw new Error(`The contract has no event ${type}.`);
  const pointer = pointerTo('webhooks', type, 'post');
  const problems = webhook.parameters.flatMap((parameter) => {
    const { pointer: place, value } = follow(parameter as Reference | Parameter, pointer);
    return valueProblems(`header ${value.name}`, headers[value.name.toLowerCase()], value, place);
  });
  if (headers['content-type'] !== 'application/json') problems.push('the Content-Type is not JSON');
  throwIfAny(type, [
    ...problems,
    ...bodyProblems(body, `${pointer}/requestBody/content/application~1json/schema`),
  ]);
}

function responseProblems({ status, headers, body }: Exchange, operation: Operation | undefined): string[] {
  if (operation === undefined && status < 400) return [];
  const responses = operation === undefined ? ANY_RESPONSES : `${operation.pointer}/responses`;
  const known = at(responses) as Record<string, Response | Reference>;
  const names = operation === undefined ? [] : [String(status), `${Math.floor(status / 100)}XX`];
  const key = names.find((name) => name in known) ?? 'default';
  const { value: response, pointer } = follow(known[key] as Response | Reference, `${responses}/${key}`);
  const problems = Object.entries(response.headers).flatMap(([name, header]) => {
    const { value, pointer: place } = follow(header, `${pointer}/headers/${name}`);
    return valueProblems(`header ${name}`, headers.get(name) ?? undefined, value, place);
  });
  const type = headers.get('Content-Type') ?? 'none';
  if (!(type in response.content)) return [...problems, `the Content-Type is ${type}`];
  if (type !== 'application/json') return body.length > 0 ? problems : [...problems, 'the body is empty'];
  const schema = `${pointer}/content/${escape(type)}/schema`;
  return [...problems, ...bodyProblems(body.toString(), schema)];
}

function requestProblems({ url, requestBody }: Exchange, { pointer }: Operation): string[] {
  const operation = at(pointer) as OperationObject;
  const { searchParams } = new URL(url);
  const problems = (operation.parameters ?? []).flatMap((parameter, index) => {
    const { value, pointer: place } = follow(parameter, `${pointer}/parameters/${index}`);
    if (value.in !== 'query') return [];
    return valueProblems(`query ${value.name}`, searchParams.get(value.name) ?? undefined, value, place);
  });
  if (operation.requestBody === undefined) return problems;
  const schema = `${pointer}/requestBody/content/application~1json/schema`;
  return [...problems, ...bodyProblems(requestBody ?? '', schema).map((problem) => `accepted: ${problem}`)];
}

function valueProblems(
  what: string,
  text: string | string[] | undefined,
  { required = false, schema }: { required?: boolean; schema: { type?: string } },
  pointer: string,
): string[] {
  if (text === undefined) return required ? [`${what} is missing`] : [];
  const value = schema.type === 'integer' && /^-?\d+$/.test(String(text)) ? Number(text) : text;
  return schemaProblems(what, value, `${pointer}/schema`);
}

function bodyProblems(text: string, pointer: string): string[] {
  try {
    return schemaProblems('body', JSON.parse(text), pointer);
  } catch (error) {
    return [`the body isn't JSON: ${String(error)}`];
  }
}

const validators = new Map<string, ValidateFunction>();

function schemaProblems(what: string, value: unknown, pointer: string): string[] {
  let validate = validators.get(pointer);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `${ID}#${pointer}` });
    validators.set(pointer, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${what}${instancePath} ${message ?? 'is wrong'}`,
  );
}

function findOperation(method: string, path: string): Operation | undefined {
  return OPERATIONS.find(
    (operation) =>
      operation.method === method &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
}

/** Follows a `$ref`, if the node is one, and returns the pointer of its value. */
function follow<T extends object>(node: T | Reference, pointer = ''): { value: T; pointer: string } {
  if (!('$ref' in node)) return { value: node, pointer };
  const target = node.$ref.slice('#'.length);
  return follow(at(target) as T | Reference, target);
}

/** The value at a JSON pointer. */
function at(pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>(
    (node, key) => (node as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    contract,
  );
}

function pointerTo(...keys: string[]): string {
  return keys.map((key) => `/${escape(key)}`).join('');
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function throwIfAny(what: string, problems: string[]): void {
  if (problems.length > 0) throw new Error(`${what} deviates from the contract: ${problems.join('; ')}.`);
}
