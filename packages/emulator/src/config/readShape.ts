import { IMAGE_FORMATS } from '@qr-service/core/connector';
import { SHAPE_FORMAT, SHAPE_VERSION, type ServiceShape } from '@qr-service/core/shape';
import { WIRE_POINTS } from './wireShape.ts';
import { checkObject, InputError, type Fields } from '../validation/checkObject.ts';
import {
  isAny,
  isInteger,
  isListOf,
  isObject,
  isOneOf,
  isPath,
  isText,
  nullable,
} from '../validation/checks.ts';
import { isFormOf } from './readWireShape.ts';

const MAX_INTEGER = 999_999_999;
const CENTURY_MS = 100 * 365 * 24 * 60 * 60 * 1000;
/** Longer than any list is behind. Previous versions of codes are kept for a day. */
const MAX_VISIBLE_AFTER_MS = 60 * 60 * 1000;

/** Checks for the dimensions of a workspace. */
export const isDimensionList = isListOf(isText(100));
/** Checks for how long lists may be behind, in milliseconds. */
export const isListDelay = isInteger(0, MAX_VISIBLE_AFTER_MS);
/** Checks for the size of a step of `updatedAt`, in milliseconds. */
export const isTimeStep = isInteger(1, 60 * 60 * 1000);

const SHAPE: Fields = {
  required: { format: isAny, version: isAny },
  optional: {
    allowedDimensions: isDimensionList,
    visibleAfterMs: isListDelay,
    clockSkewMs: isInteger(-CENTURY_MS, CENTURY_MS),
    responses: isListOf(isObject),
  },
  nested: {
    wireShape: { optional: Object.fromEntries(WIRE_POINTS.map((point) => [point, isFormOf(point)])) },
    scanFields: { optional: { id: nullable(isText(100)), qrId: isText(100), scannedAt: isText(100) } },
    images: { optional: { format: isOneOf(IMAGE_FORMATS), size: isInteger(1, MAX_INTEGER) } },
  },
};
const RESPONSE: Fields = {
  required: { method: isText(20), path: isPath, status: isInteger(200, 599), body: isAny },
  optional: { headers: isObject },
};

/**
 * Checks a shape.
 * @throws InputError for the first part that the emulator can't imitate, with its path
 */
export function readShape(shape: unknown): ServiceShape {
  checkFormat(shape);
  checkObject(shape, '', SHAPE);
  const { wireShape, responses = [] } = shape as Partial<ServiceShape>;
  if (wireShape === undefined) throw new InputError('wireShape', 'is missing');
  responses.forEach((response, index) => checkResponse(response, `responses[${index}]`));
  return shape as ServiceShape;
}

/** Checked first, so that another file isn't refused for one of its fields. */
function checkFormat(shape: unknown): void {
  const { format, version } = isObject(shape) === undefined ? (shape as Record<string, unknown>) : {};
  if (format !== SHAPE_FORMAT)
    throw new InputError('', `isn't a service shape: its format isn't "${SHAPE_FORMAT}"`);
  if (!Number.isInteger(version) || (version as number) < 1)
    throw new InputError('version', 'must be a whole number from 1');
  if ((version as number) > SHAPE_VERSION)
    throw new InputError(
      'version',
      `is ${String(version)}, but this emulator reads only up to ${SHAPE_VERSION}; update the emulator`,
    );
}

function checkResponse(response: unknown, path: string): void {
  checkObject(response, path, RESPONSE);
  const { headers = {}, body } = response as { headers?: Record<string, unknown>; body: unknown };
  if (typeof body !== 'string') throw new InputError(`${path}.body`, 'must be a string');
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value as string]]);
    } catch {
      throw new InputError(`${path}.headers.${name}`, "isn't a valid header");
    }
  }
}
