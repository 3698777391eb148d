import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { inOutputOrder, omitUndefined, type QrCode } from '../../../deps.ts';
import { Parameters } from '../../platform/parameters.ts';

/** For the operations that write: a row can then be written back without another node's items. */
export const inputFieldsProperty: INodeProperties = {
  displayName: 'Include Input Fields',
  name: 'includeInputFields',
  type: 'boolean',
  default: false,
  description:
    "Whether to also output the fields and files of the input item. If a field has another value there, such as status, the input's value is in input_status.",
  // A model has no use for it.
  displayOptions: { hide: { '@tool': [true] } },
};

/** Reads whether the output of a write has the fields and files of the input item, and returns the function that makes the output. */
export function codeOutput(context: IExecuteFunctions, parameters: Parameters, itemIndex: number) {
  const { json: input, ...files } = includedInput(context, parameters, itemIndex);
  return (code: QrCode, more?: IDataObject): INodeExecutionData[] => {
    const result = inOutputOrder({ ...code, ...more }) as IDataObject;
    const own: IDataObject = {};
    for (const [key, value] of Object.entries(withoutFailure(input)))
      own[key in result && result[key] !== value ? unusedName(key, input) : key] = value;
    return [{ json: { ...own, ...result }, ...files }];
  };
}

function includedInput(context: IExecuteFunctions, parameters: Parameters, itemIndex: number) {
  const item = context.getInputData()[itemIndex];
  if (item === undefined || !parameters.yesNo(inputFieldsProperty)) return { json: {} };
  return { json: item.json, ...omitUndefined({ binary: item.binary }) };
}

/** What a failed item keeps of its fields and files. On the error output, n8n adds the fields itself. */
export function failedInput(context: IExecuteFunctions, itemIndex: number): INodeExecutionData {
  const nothing = { json: {} };
  if (context.getNode().onError === 'continueErrorOutput') return nothing;
  try {
    return includedInput(context, Parameters.ofItem(context, itemIndex), itemIndex);
  } catch {
    return nothing;
  }
}

function unusedName(key: string, input: IDataObject): string {
  const name = `input_${key}`;
  return name in input ? unusedName(name, input) : name;
}

/** The fields of an item, with those empty that an earlier failure has left: in a sheet, they would look like a new one. */
function withoutFailure(input: IDataObject): IDataObject {
  const { error, details } = input;
  if (error === undefined) return input;
  // A sheet has them as text. A column of the user's own may have the same name.
  const text = typeof details === 'string' ? details : JSON.stringify(details ?? '');
  const isOurs = text.startsWith('{"description":');
  return { ...input, error: '', ...(isOurs ? { details: '' } : {}) };
}
