import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { Scope } from '@qr-service/core';
import { API_PATH } from '@qr-service/core/connector';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

interface Schema {
  type?: string;
  format?: string;
  enum?: string[];
  required?: string[];
  properties?: Record<string, Schema>;
  allOf?: Schema[];
}
/** A parameter, or a header without its name and place. */
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}
type Content = Record<string, { schema: Schema } | undefined>;
interface Response {
  headers: Record<string, Omit<Parameter, 'name' | 'in'>>;
  content: Content;
}
interface Endpoint {
  operationId: string;
  'x-scope': Scope | null;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, Response | undefined>;
}
interface Contract {
  paths: Record<string, Record<string, Endpoint | undefined>>;
  webhooks: Record<string, { post: Required<Pick<Endpoint, 'parameters' | 'requestBody'>> } | undefined>;
}

/** An operation of the contract. */
export interface Operation extends Endpoint {
  method: string;
  /** With its parameters in braces. */
  path: string;
  /** Matches its path in a URL. */
  pattern: RegExp;
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

const JSON_TYPE = 'application/json';
const contract = readContract(join(__dirname, '../../../../shared/contract/openapi.yaml'));
const ajv = new Ajv2020({
  strict: false,
  validateSchema: false,
  allErrors: true,
  // An absolute URL may contain characters that have to be encoded for transport.
  formats: { ...fullFormats, uri: (text: string) => URL.canParse(text) },
});
const validators = new Map<Schema, ValidateFunction>();

/** Reads the API description, with every `$ref` replaced by what it refers to. */
function readContract(file: string): Contract {
  const document = parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const resolved = new Map<string, unknown>();
  const resolve = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map(resolve);
    if (!('$ref' in node))
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(value)]));
    const ref = String(node.$ref);
    if (!resolved.has(ref)) {
      const keys = ref.slice('#/'.length).split('/');
      resolved.set(ref, resolve(keys.reduce<unknown>((at, key) => (at as typeof document)[key], document)));
    }
    return resolved.get(ref);
  };
  return resolve(document) as Contract;
}

/** Every operation of the contract. */
export const OPERATIONS: readonly Operation[] = Object.entries(contract.paths).flatMap(([path, item]) =>
  ['get', 'post'].flatMap((method) => {
    const endpoint = item[method];
    const pattern = new RegExp(`^${API_PATH}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return endpoint === undefined ? [] : [{ ...endpoint, method: method.toUpperCase(), path, pattern }];
  }),
);

const schemaOf = (content: Content | undefined) => content?.[JSON_TYPE]?.schema;

/** The error codes that the contract documents for an operation. */
export const documentedCodes = ({ responses }: Operation): string[] =>
  Object.values(responses)
    .flatMap((response) => schemaOf(response?.content)?.allOf ?? [])
    .flatMap(({ properties }) => properties?.['code']?.enum ?? []);

/** Query strings that the contract rules out for an operation, with the parameter that is wrong in each. */
export const invalidQueries = ({ parameters = [] }: Operation): { query: string; parameter: string }[] =>
  parameters.flatMap(({ name, in: place, schema }) => {
    if (place !== 'query') return [];
    const values = [
      ...(schema.type === 'integer' ? ['', '1.5', 'big'] : []),
      ...(schema.format === 'date-time' ? ['yesterday', '2026-01-15', '2026-02-30T10:00:00Z'] : []),
      ...(schema.enum?.slice(0, 1).map((value) => value.toUpperCase()) ?? []),
    ];
    return values.map((value) => ({ query: `${name}=${value}`, parameter: name }));
  });

/** The fields that the contract requires in an operation's request; undefined for a request without a body. */
export const requiredFields = ({ requestBody }: Operation): readonly string[] | undefined =>
  schemaOf(requestBody?.content)?.required;

/**
 * Checks a response of the API, and the request if it was accepted, against the contract.
 * @throws Error naming every deviation
 */
export function checkExchange({ method, url, requestBody, status, headers, body }: Exchange): void {
  const { pathname, searchParams } = new URL(url);
  const operation = OPERATIONS.find((each) => each.method === method && each.pattern.test(pathname));
  // Undocumented requests, such as to an unknown path, fail the same way as documented ones.
  const responses = operation?.responses ?? contract.paths['/me']!['get']!.responses;
  const problems: string[] = [];
  const response =
    responses[String(status)] ?? (status < 300 ? responses['2XX'] : undefined) ?? responses['default']!;
  if (operation !== undefined || status >= 300) problems.push(...responseProblems(response, headers, body));
  if (operation !== undefined && status < 300) {
    const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    for (const query of queries)
      problems.push(...valueProblems(`query ${query.name}`, searchParams.get(query.name), query));
    const schema = schemaOf(operation.requestBody?.content);
    if (schema !== undefined) problems.push(...bodyProblems('accepted body', requestBody ?? '', schema));
  }
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
  const problems = webhook.parameters.flatMap((parameter) =>
    valueProblems(`header ${parameter.name}`, headers[parameter.name.toLowerCase()], parameter),
  );
  if (headers['content-type'] !== JSON_TYPE) problems.push('the Content-Type is not JSON');
  throwIfAny(type, [...problems, ...bodyProblems('body', body, schemaOf(webhook.requestBody.content)!)]);
}

function responseProblems(response: Response, headers: Headers, body: Buffer): string[] {
  const problems = Object.entries(response.headers).flatMap(([name, header]) =>
    valueProblems(`header ${name}`, headers.get(name), header),
  );
  const type = headers.get('Content-Type') ?? 'none';
  const media = response.content[type];
  if (media === undefined) return [...problems, `the Content-Type is ${type}`];
  if (type === JSON_TYPE) return [...problems, ...bodyProblems('body', body.toString(), media.schema)];
  return body.length > 0 ? problems : [...problems, 'the body is empty'];
}

function valueProblems(
  what: string,
  text: string | string[] | null | undefined,
  { required = false, schema }: Omit<Parameter, 'name' | 'in'>,
): string[] {
  if (text === undefined || text === null) return required ? [`${what} is missing`] : [];
  const isNumber = schema.type === 'integer' && /^-?\d+$/.test(String(text));
  return schemaProblems(what, isNumber ? Number(text) : text, schema);
}

function bodyProblems(what: string, text: string, schema: Schema): string[] {
  try {
    return schemaProblems(what, JSON.parse(text), schema);
  } catch (error) {
    return [`the ${what} isn't JSON: ${String(error)}`];
  }
}

function schemaProblems(what: string, value: unknown, schema: Schema): string[] {
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  return errors.map(({ instancePath, message }) => `${what}${instancePath} ${message ?? 'is wrong'}`);
}

function throwIfAny(what: string, problems: string[]): void {
  if (problems.length > 0) throw new Error(`${what} deviates from the contract: ${problems.join('; ')}.`);
}
