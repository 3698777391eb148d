import { ERROR_CODES } from '@qr-service/core/connector';
import {
  MISSING_PARTS,
  SHAPE_BOUNDS,
  SHAPE_FORMAT,
  SHAPE_NAME_LENGTH,
  SHAPE_VERSION,
  type ServiceShape,
} from '@qr-service/core/shape';
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

const isName = isText(SHAPE_NAME_LENGTH);
const isStatus = isInteger(...SHAPE_BOUNDS.status);

/** Checks for the dimensions of a workspace. */
export const isDimensionList = isListOf(isName);
/** Checks for how long lists may be behind, in milliseconds. */
export const isListDelay = isInteger(...SHAPE_BOUNDS.visibleAfterMs);
/** Checks for the size of a step of `updatedAt`, in milliseconds. */
export const isTimeStep = isInteger(1, 60 * 60 * 1000);

const SHAPE: Fields = {
  required: { format: isAny, version: isAny },
  optional: {
    allowedDimensions: isDimensionList,
    visibleAfterMs: isListDelay,
    missing: isListOf(isOneOf(MISSING_PARTS)),
    ignoredParameters: isObject,
    keyHeader: isOneOf(['authorization', 'api-key']),
    responses: isListOf(isObject),
  },
  nested: {
    wireShape: { optional: Object.fromEntries(WIRE_POINTS.map((point) => [point, isFormOf(point)])) },
    scanFields: { optional: { id: isName, qrId: isName, scannedAt: isName } },
    errors: {
      nested: Object.fromEntries(
        Object.keys(ERROR_CODES).map((code) => [
          code,
          { required: { status: isStatus, code: nullable(isName) } },
        ]),
      ),
    },
  },
};
const RESPONSE: Fields = {
  required: { method: isText(20), path: isPath, status: isStatus, body: isAny },
  optional: { headers: isObject, query: isObject },
};

/**
 * Checks a shape.
 * @throws InputError for the first part that the emulator can't imitate, with its path
 */
export function readShape(shape: unknown): ServiceShape {
  checkFormat(shape);
  checkObject(shape, '', SHAPE);
  const { wireShape, responses = [], ignoredParameters = {} } = shape as Partial<ServiceShape>;
  if (wireShape === undefined) throw new InputError('wireShape', 'is missing');
  const paths = Object.keys(ignoredParameters).map((path) => [path, isListOf(isName)] as const);
  checkObject(ignoredParameters, 'ignoredParameters', { optional: Object.fromEntries(paths) });
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
