import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { WireHeaders } from '@qr-service/core';
import { readHeader } from '@qr-service/core/connector';
import { API_DESCRIPTION } from './apiDescription.ts';

/** A response to check. */
interface CheckedResponse {
  method: string;
  /** Below the API's base URL, without the query. */
  path: string;
  status: number;
  headers: WireHeaders;
  /** Undefined if the body isn't JSON. */
  json: unknown;
  isEmpty: boolean;
}

/** A departure from the API's description. */
export interface Departure {
  part: 'header' | 'body';
  /** Name of the header, or path in the body. */
  place: string;
  /** For a missing property, its name. */
  missing?: string;
  /** What is wrong, without values: `body/items/0/id must be string`, with a star for each position. */
  text: string;
}

type Json = Record<string, unknown>;

const ID = 'api';
const MAX_NAME = 40;
const LONGEST_PATH = 200;
const description: Json = API_DESCRIPTION;
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  // The API text says "absolute URL", which may contain characters that have to be encoded for transport.
  formats: { ...fullFormats, uri: (text: string) => URL.canParse(text) },
});
// Not checked against the meta-schema, because an API description isn't a schema as a whole.
ajv.addSchema(API_DESCRIPTION, ID, false, false);
const validators = new Map<string, ValidateFunction>();

/** The operations, with a pattern of their path. */
const OPERATIONS = Object.entries(description['paths'] as Record<string, Json>).flatMap(([path, item]) =>
  ['get', 'post'].flatMap((method) =>
    item[method] === undefined
      ? []
      : [
          {
            method: method.toUpperCase(),
            pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
            pointer: `/paths/${escape(path)}/${method}`,
          },
        ],
  ),
);

/** Compares a response with openapi.yaml. Responses to requests that it doesn't describe have no departures. */
export function compareResponse(response: CheckedResponse): Departure[] {
  const { method, path, status, headers, json, isEmpty } = response;
  const operation = OPERATIONS.find((known) => known.method === method && known.pattern.test(path));
  if (operation === undefined) return [];
  const responses = at(`${operation.pointer}/responses`) as Json;
  const key =
    [String(status), `${Math.floor(status / 100)}XX`].find((name) => name in responses) ?? 'default';
  const { value, pointer } = follow(responses[key] as Json, `${operation.pointer}/responses/${key}`);
  const headerDepartures = Object.entries(value['headers'] as Record<string, Json>).flatMap(
    ([name, header]) =>
      headerDeparture(name, header, readHeader(headers, name), `${pointer}/headers/${name}`),
  );
  const content = value['content'] as Json | undefined;
  if (content === undefined || (isEmpty && status < 300)) return headerDepartures;
  if (!('application/json' in content) || json === undefined) return headerDepartures;
  const schema = `${pointer}/content/application~1json/schema`;
  return [...headerDepartures, ...bodyDepartures(json, schema)];
}

/** Compares a code, wherever it was found, with the summary of a code in openapi.yaml. */
export function compareCode(code: unknown): Departure[] {
  return bodyDepartures(code, '/components/schemas/QrCodeSummary');
}

function headerDeparture(name: string, header: Json, text: string | undefined, pointer: string): Departure[] {
  const { value, pointer: place } = follow(header, pointer);
  if (text === undefined)
    return value['required'] === true ? [{ part: 'header', place: name, text: `${name} is missing` }] : [];
  const isInteger = (value['schema'] as Json)['type'] === 'integer';
  const parsed = isInteger && /^-?\d+$/.test(text.trim()) ? Number(text) : text;
  return errorsOf(parsed, `${place}/schema`).map(({ message }) => ({
    part: 'header',
    place: name,
    text: `${name} ${message ?? 'is wrong'}`,
  }));
}

function bodyDepartures(json: unknown, pointer: string): Departure[] {
  const errors = errorsOf(json, pointer);
  return errors
    .filter(({ keyword }) => keyword !== 'anyOf' || errors.length === 1)
    .map(({ instancePath, message, keyword, params }) => {
      // Positions in an array and long names say nothing, and a name may be a value.
      const place = instancePath
        .split('/')
        .map((part) => (/^\d+$/.test(part) ? '*' : safe(part)))
        .join('/')
        .slice(0, LONGEST_PATH);
      return {
        part: 'body',
        place,
        ...(keyword === 'required' && { missing: String((params as Json)['missingProperty']) }),
        text: `body${place} ${message ?? 'is wrong'}`,
      };
    });
}

function errorsOf(value: unknown, pointer: string): ErrorObject[] {
  let validate = validators.get(pointer);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `${ID}#${pointer}` });
    validators.set(pointer, validate);
  }
  return validate(value) ? [] : (validate.errors ?? []);
}

function follow(node: Json, pointer: string): { value: Json; pointer: string } {
  const { $ref } = node;
  if (typeof $ref !== 'string') return { value: node, pointer };
  return follow(at($ref.slice(1)) as Json, $ref.slice(1));
}

function at(pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>(
    (node, key) => (node as Json)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    description,
  );
}

function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function safe(text: string): string {
  return text.replaceAll(/[^\w.$+/-]/g, '?').slice(0, MAX_NAME);
}
