import { WIRE_CHOICES, type WireShape } from 'qr-service-emulator';

/** Points that only writing shows. */
const WRITTEN = ['change', 'secretKey', 'subscription', 'unsubscribe', 'idempotency'] as const;

/** The whole wire shape of an emulator, without the points that can't be seen in it. */
export function observable(shape: WireShape, write: boolean): WireShape {
  const defaults = Object.fromEntries(Object.entries(WIRE_CHOICES).map(([point, [first]]) => [point, first]));
  const whole: WireShape = { ...defaults, ...shape };
  // No verdict depends on them.
  delete whole.listOrder;
  delete whole.listSince;
  if (whole.idempotency === 'refusals not replayed') whole.idempotency = 'replayed';
  // Anything larger than the connector requests isn't tried.
  if (whole.maxLimit === 100) delete whole.maxLimit;
  if (!write) for (const point of WRITTEN) Reflect.deleteProperty(whole, point);
  if (whole.listKey === 'top-level array') {
    // An array has no room for a cursor, or for anything around it.
    delete whole.listEnd;
    delete whole.listNesting;
    delete whole.scanCursor;
  }
  return whole;
}

/** Findings that a form must not leave at `works`. */
export function contradictions(shape: WireShape, write: boolean): string[] {
  const { error = 'flat', unsubscribe, idempotency } = shape;
  const found: [isFound: boolean, ...ids: string[]][] = [
    [error !== 'flat', 'errors.body'],
    [error === 'html', 'errors.unauthorized', 'errors.notFound', 'errors.cursor'],
    [error === 'html' && write, 'idempotency.conflict'],
    [unsubscribe === 404 && write, 'webhooks.unsubscribe'],
    [idempotency === 'ignored' && write, 'idempotency.replay', 'idempotency.conflict'],
  ];
  return found.flatMap(([isFound, ...ids]) => (isFound ? ids : []));
}
