import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { showFor } from '../../descriptions/showFor.ts';
import { toText } from '../../helpers/toText.ts';
import type { Operation } from '../Run.ts';

const URL_CONTENT = 'url';

export const description = showFor(
  'qrCode',
  ['create'],
  [
    {
      displayName: 'Name',
      name: 'name',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'e.g. Table 4',
      description: 'Display name of the code; the short link is made from it',
    },
    {
      displayName: 'Target URL',
      name: 'targetUrl',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'e.g. https://example.com/menu',
      description: 'Absolute web address that a scan leads to',
      displayOptions: { show: { contentType: [URL_CONTENT] } },
    },
    {
      displayName: 'Content',
      name: 'content',
      type: 'json',
      required: true,
      default: '{}',
      description: 'What the code holds, as a JSON object in the form that its content type asks for',
      displayOptions: { hide: { contentType: [URL_CONTENT] } },
    },
    {
      displayName: 'Mode',
      name: 'mode',
      type: 'string',
      required: true,
      default: 'dynamic',
      description: 'With "dynamic", the target can be changed after the code is printed',
    },
    {
      displayName: 'Content Type',
      name: 'contentType',
      type: 'string',
      required: true,
      default: URL_CONTENT,
      description: 'What kind of content the code holds. The default is a web address.',
    },
  ],
);

/** Creates one code an item. */
export const execute: Operation = async ({ context, client, writeOptions }, itemIndex) => {
  const text = (parameter: string) => toText(context.getNodeParameter(parameter, itemIndex, ''));
  const contentType = text('contentType');
  const input = {
    name: text('name'),
    mode: text('mode'),
    contentType,
    content: contentType === URL_CONTENT ? { targetUrl: text('targetUrl') } : readContent(context, itemIndex),
  };
  const code = await client.qr.create(input, writeOptions(itemIndex, input));
  return [{ json: code as IDataObject }];
};

/** Empty names and addresses are left to the service, which says what it makes of them. */
function readContent(context: IExecuteFunctions, itemIndex: number): Record<string, unknown> {
  const given = context.getNodeParameter('content', itemIndex, '{}');
  const content: unknown = typeof given === 'string' ? parseJson(given) : given;
  if (typeof content === 'object' && content !== null && !Array.isArray(content))
    return content as Record<string, unknown>;
  throw new NodeOperationError(context.getNode(), 'The content is no JSON object.', {
    description: 'Give it like {"targetUrl": "https://example.com"}, with the fields of its content type.',
    itemIndex,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
