import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { inOrder, ParameterError, turns, CodeFinder, type QrCode } from '../../../deps.ts';
import type { Parameters } from '../../platform/parameters.ts';
import { qrCodeIdProperty } from './descriptions.ts';
import type { Run } from './startRun.ts';

/** Knows which codes the items of one run refer to, and finds them. */
export function codeReferences({ qr }: Run['client'], options: Pick<Run, 'memory'> & Run['requestOptions']) {
  const named = new Set<string>();
  let finder: CodeFinder | undefined;
  /** For work only: once all items are checked, it is known how many lookups to expect. `ids`: what is looked up next. */
  const codes = (ids: readonly string[] = []) => {
    finder ??= new CodeFinder(qr, { ...options, lookups: named.size });
    finder.expect(ids.length);
    return finder;
  };
  /** Reads which code an item refers to. The result looks up its ID. */
  const read = (parameters: Parameters): (() => Promise<string>) => {
    const advice = 'Choose one from the list, or enter an ID or a short link.';
    const code = parameters.located(qrCodeIdProperty, advice);
    named.add(code);
    return () => codes().idOf(code);
  };
  return { codes, read };
}

/** What an item's own fields say about a code, if they are those of this code. */
export function fieldsAbout(id: string, { json }: INodeExecutionData): Partial<QrCode> {
  return json['id'] === id || json['qrId'] === id ? { ...json } : {};
}

/** @throws ParameterError if several items would all change the one code that was entered */
export function refuseOneCodeForAll(
  context: IExecuteFunctions,
  parameters: Parameters,
  property: INodeProperties,
): void {
  const items = context.getInputData().length;
  if (items === 1 || parameters.isExpression(property) || parameters.located(property) === '') return;
  const { displayName } = property;
  const message = `${displayName} is the same for all ${items} items.`;
  const advice =
    'Map it to the field that has the ID or short link of each row, for example {{ $json.id }}. For a single change, turn on Execute Once in the settings of the node.';
  throw new ParameterError(message, { code: 'invalid_input', parameter: displayName, advice });
}

/** Makes the function that changes codes, to be called in the items' order: of several changes of a code, the last one wins. */
export function changesInOrder({ outage, requestOptions: { signal } }: Run) {
  const inOrderOfItems = inOrder();
  const inTurn = turns();
  return async (codeId: () => Promise<string>, change: (id: string) => Promise<QrCode>) => {
    const id = await inOrderOfItems(codeId());
    const changeNow = () => {
      outage.throwIfDown();
      return change(id);
    };
    return inTurn(id, changeNow, signal);
  };
}
