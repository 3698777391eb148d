import type { WireShape } from '@qr-service/core/shape';
import { FORMS, type WirePoint } from '../config/wireShape.ts';
import { isChoiceOf, isNumber, readWireShape } from '../config/readWireShape.ts';

/**
 * Parses a wire shape as written on the command line: `listKey=items,reset=epoch seconds`.
 * @throws TypeError for another format, and for a point or a form that the emulator doesn't have
 */
export function parseWireShape(text: string): WireShape {
  const shape = Object.fromEntries(
    text.split(',').map((part) => {
      const [point = '', form] = part.split('=', 2).map((side) => side.trim());
      if (form === undefined) throw new TypeError(`--wire-shape must be point=form,point=form, not ${part}.`);
      const choices: readonly unknown[] = Object.hasOwn(FORMS, point) ? FORMS[point as WirePoint] : [];
      const choice = choices.find((each) => String(each) === form) ?? form;
      return [point, isNumber(point as WirePoint) ? Number(choice) : choice];
    }),
  ) as WireShape;
  readWireShape(shape, isChoiceOf);
  return shape;
}
