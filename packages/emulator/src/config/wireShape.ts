import { WIRE_CHOICES, type WireShape } from '@qr-service/core/shape';

export { WIRE_CHOICES, type WireShape } from '@qr-service/core/shape';

/**
 * Completes a wire shape with the defaults.
 * @throws TypeError for a point or a form that the emulator doesn't have
 */
export function readWireShape(shape: WireShape = {}): Required<WireShape> {
  for (const [point, value] of Object.entries(shape)) {
    if (!Object.hasOwn(WIRE_CHOICES, point)) throw new TypeError(`Unknown wire shape ${point}.`);
    const choices: readonly unknown[] = WIRE_CHOICES[point as keyof WireShape];
    if (!choices.includes(value))
      throw new TypeError(`The wire shape ${point} must be one of: ${choices.join(', ')}.`);
  }
  const defaults = Object.entries(WIRE_CHOICES).map(([point, choices]) => [point, choices[0]]);
  return { ...(Object.fromEntries(defaults) as Required<WireShape>), ...shape };
}
