import { SHAPE_BOUNDS, SHAPE_NAME_LENGTH, type WireShape } from '@qr-service/core/shape';
import { FORMS, WIRE_POINTS, type WirePoint } from './wireShape.ts';
import { isInteger, isOneOf, isText, type FieldCheck } from '../validation/checks.ts';

/** Points whose form is a name that services are free to choose. The choices are the names that they are known to have. */
const NAMES: ReadonlySet<WirePoint> = new Set(['listKey', 'record', 'secretKey']);

/** Points whose form is any number in these bounds. */
const NUMBERS: { readonly [Point in WirePoint]?: readonly [min: number, max: number] } = SHAPE_BOUNDS;

/** Whether the form of a point is any number. */
export const isNumber = (point: WirePoint): boolean => NUMBERS[point] !== undefined;

/** Checks for one of a point's choices, or for any number where they are examples. */
export const isChoiceOf = (point: WirePoint): FieldCheck => {
  const bounds = NUMBERS[point];
  return bounds === undefined ? isOneOf(FORMS[point]) : isInteger(...bounds);
};

/** Checks for any form that a service may have, including names that aren't among the choices. */
export const isFormOf = (point: WirePoint): FieldCheck =>
  NAMES.has(point) ? isText(SHAPE_NAME_LENGTH) : isChoiceOf(point);

/**
 * Completes a wire shape with the defaults.
 * @param isValid the check of each point's form
 * @throws TypeError for a point or a form that the emulator doesn't have
 */
export function readWireShape(shape: WireShape = {}, isValid = isFormOf): Required<WireShape> {
  for (const [point, form] of Object.entries(shape)) {
    if (!Object.hasOwn(FORMS, point)) throw new TypeError(`Unknown wire shape ${point}.`);
    const problem = isValid(point as WirePoint)(form);
    if (problem !== undefined) throw new TypeError(`The wire shape ${point} ${problem}.`);
  }
  const defaults = WIRE_POINTS.map((point) => [point, FORMS[point][0]]);
  return { ...(Object.fromEntries(defaults) as Required<WireShape>), ...shape };
}
