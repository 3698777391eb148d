import { WIRE_CHOICES, WIRE_POINTS, type WirePoint, type WireShape } from './wireShape.ts';
import { isInteger, isOneOf, isText, type FieldCheck } from '../validation/checks.ts';

/** Points whose form is a name that services are free to choose. The choices are the names that they are known to have. */
const NAMES: ReadonlySet<WirePoint> = new Set(['listKey', 'record', 'secretKey']);

/** Checks for one of a point's choices, or for any number where the choices are numbers to compare with. */
export const isChoiceOf = (point: WirePoint): FieldCheck =>
  point === 'maxLimit' ? isInteger(1, 999_999_999) : isOneOf(WIRE_CHOICES[point]);

/** Checks for any form that a service may have, including names that aren't among the choices. */
export const isFormOf = (point: WirePoint): FieldCheck =>
  NAMES.has(point) ? isText(100) : isChoiceOf(point);

/**
 * Completes a wire shape with the defaults.
 * @param isValid the check of each point's form
 * @throws TypeError for a point or a form that the emulator doesn't have
 */
export function readWireShape(shape: WireShape = {}, isValid = isFormOf): Required<WireShape> {
  for (const [point, form] of Object.entries(shape)) {
    if (!Object.hasOwn(WIRE_CHOICES, point)) throw new TypeError(`Unknown wire shape ${point}.`);
    const problem = isValid(point as WirePoint)(form);
    if (problem !== undefined) throw new TypeError(`The wire shape ${point} ${problem}.`);
  }
  const defaults = WIRE_POINTS.map((point) => [point, WIRE_CHOICES[point][0]]);
  return { ...(Object.fromEntries(defaults) as Required<WireShape>), ...shape };
}
