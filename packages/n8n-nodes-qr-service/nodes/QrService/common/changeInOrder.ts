import type { INodeProperties } from 'n8n-workflow';
import { ParameterError, turns } from '../../../core.ts';
import type { Run } from './run.ts';

/**
 * Makes the function that changes the codes of one run's items, called in their order: each change follows the earlier ones
 * about its code, however each item names it, so the last one wins.
 * @param beforeChange throws if no more changes may be sent
 */
export function changeInOrder(beforeChange: () => void) {
  const inTurn = turns();
  let latestId: Promise<unknown> = Promise.resolve();
  return async <Result>(
    codeId: () => Promise<string>,
    change: (id: string) => Promise<Result>,
  ): Promise<Result> => {
    const found = codeId();
    const inOrder = Promise.allSettled([latestId, found]).then(() => found);
    latestId = inOrder;
    const id = await inOrder;
    return inTurn(id, () => {
      beforeChange();
      return change(id);
    });
  };
}

/** @throws ParameterError if several items would all change the one code that was entered */
export function checkOwnCode({ context, parameters }: Run, itemIndex: number, property: INodeProperties) {
  const values = parameters(itemIndex);
  const items = context.getInputData().length;
  if (items === 1 || values.isExpression(property) || values.located(property) === '') return;
  const { displayName } = property;
  throw new ParameterError(`${displayName} is the same for all ${items} items.`, {
    code: 'invalid_input',
    parameter: displayName,
    advice:
      'Map it to the field that has the ID or short link of each row, for example {{ $json.id }}. For a single change, turn on Execute Once in the settings of the node.',
  });
}
