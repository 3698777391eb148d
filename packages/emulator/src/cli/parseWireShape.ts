import { WIRE_CHOICES, type WireShape } from '../config/wireShape.ts';
import { isChoiceOf, readWireShape } from '../config/readWireShape.ts';

/**
 * Parses a wire shape as written on the command line: `listKey=items,reset=epoch seconds`.
 * @throws TypeError for another format, and for a point or a form that the emulator doesn't have
 */
export function parseWireShape(text: string): WireShape {
  const shape = Object.fromEntries(
    text.split(',').map((part) => {
      const [point = '', form] = part.split('=', 2).map((side) => side.trim());
      if (form === undefined) throw new TypeError(`--wire-shape must be point=form,point=form, not ${part}.`);
      const choices: readonly unknown[] = Object.hasOwn(WIRE_CHOICES, point)
        ? WIRE_CHOICES[point as keyof WireShape]
        : [];
      const choice = choices.find((each) => String(each) === form) ?? form;
      return [point, point === 'maxLimit' ? Number(choice) : choice];
    }),
  ) as WireShape;
  readWireShape(shape, isChoiceOf);
  return shape;
}
