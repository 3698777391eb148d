import { isParameterError, turns } from '../../../core.ts';

/**
 * Changes a code, after the earlier items about it, however each names it. `isAfterFailure`: one of those has failed, or
 * the lookup of an earlier item's code.
 */
export type ChangeInOrder = <Result>(
  codeId: () => Promise<string>,
  change: (id: string, isAfterFailure: boolean) => Promise<Result>,
) => Promise<Result>;

/**
 * Makes the function for the items of one run, which is called in their order: the last one wins.
 * @param beforeChange throws if no more changes may be sent
 */
export function changeInOrder(beforeChange: () => void): ChangeInOrder {
  const inTurn = turns();
  /** Codes of failed items; an empty one if a lookup failed. */
  const failedIds = new Set<string>();
  const noteFailure = (id: string) => (error: unknown) => {
    failedIds.add(id);
    throw error;
  };
  const noteLookup = (error: unknown) => {
    // A retry won't find what doesn't exist, so it must not write the other items' codes again.
    if (isParameterError(error) && error.code === 'not_found') throw error;
    return noteFailure('')(error);
  };
  let latestId: Promise<unknown> = Promise.resolve();
  return async (codeId, change) => {
    const found = codeId();
    const inOrder = Promise.allSettled([latestId, found]).then(() => found);
    latestId = inOrder;
    const id = await inOrder.catch(noteLookup);
    return inTurn(id, () => {
      beforeChange();
      return change(id, failedIds.has(id) || failedIds.has(''));
    }).catch(noteFailure(id));
  };
}
