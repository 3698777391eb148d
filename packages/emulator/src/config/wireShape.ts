import { BEHAVIOR_CHOICES, contradictionOf, WIRE_CHOICES, type WireShape } from '@qr-service/core/shape';

/** A point of the wire shape. */
export type WirePoint = keyof WireShape;

/** Every form of every point, the default first. */
export const FORMS: Readonly<Record<WirePoint, readonly (string | number)[]>> = {
  ...WIRE_CHOICES,
  ...BEHAVIOR_CHOICES,
  listEnd: [...WIRE_CHOICES.listEnd, ...BEHAVIOR_CHOICES.listEnd],
  unsubscribe: [...WIRE_CHOICES.unsubscribe, ...BEHAVIOR_CHOICES.unsubscribe],
  idempotency: [...WIRE_CHOICES.idempotency, ...BEHAVIOR_CHOICES.idempotency],
};

/** Every point. */
export const WIRE_POINTS = Object.keys(FORMS) as WirePoint[];

/** The forms that the API text leaves open, the default first, of each point that has more than one. */
export const OPEN_FORMS: Readonly<Record<string, readonly (string | number)[]>> = Object.fromEntries(
  WIRE_POINTS.map((point) => {
    return [point, FORMS[point].filter((form) => contradictionOf(point, form) === undefined)] as const;
  }).filter(([, forms]) => forms.length > 1),
);

/** The points whose form contradicts the API text at present, each with its form and what the client sees. */
export function activeContradictions(
  shape: Required<WireShape>,
): { point: WirePoint; form: string; description: string }[] {
  return Object.entries(shape).flatMap(([point, form]) => {
    const contradiction = contradictionOf(point as WirePoint, form);
    if (contradiction === undefined) return [];
    return [{ point: point as WirePoint, form: String(form), description: contradiction.description }];
  });
}
