import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { deduplicationKeyOption, optionsProperty } from '../../descriptions/options.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { notPublished } from '../../helpers/notPublished.ts';
import { isYes, toText } from '../../helpers/toText.ts';
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
      description: 'Name of the code as the app shows it; the slug of its short link is made from it',
    },
    {
      displayName: 'Target URL',
      name: 'targetUrl',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'e.g. https://example.com/menu',
      description: 'Web address that a scan of the code leads to, complete with https://',
      displayOptions: { show: { contentType: [URL_CONTENT] } },
    },
    {
      displayName: 'Content',
      name: 'content',
      type: 'json',
      required: true,
      default: '{}',
      description: 'What the code holds, as a JSON object with the fields of its content type',
      displayOptions: { hide: { contentType: [URL_CONTENT] } },
    },
    {
      displayName: 'Publish After Creating',
      name: 'publish',
      type: 'boolean',
      default: true,
      description:
        'Whether to publish the code at once, so that its short link works. A code that is not published leads nowhere when it is scanned.',
    },
    {
      displayName: 'Mode',
      name: 'mode',
      type: 'string',
      required: true,
      default: 'dynamic',
      description: 'How the code works: a "dynamic" one can be pointed elsewhere after it was printed',
    },
    {
      displayName: 'Content Type',
      name: 'contentType',
      type: 'string',
      required: true,
      default: URL_CONTENT,
      description: 'What kind of content the code holds. The default is a web address.',
    },
    optionsProperty([deduplicationKeyOption]),
  ],
);

/** Creates one code an item and, if asked to, publishes it; each of the two calls has its own Idempotency-Key. */
export const execute: Operation = async ({ context, client, writeOptions }, itemIndex) => {
  const text = (parameter: string) => toText(context.getNodeParameter(parameter, itemIndex, ''));
  const contentType = text('contentType');
  const input = {
    name: text('name'),
    mode: text('mode'),
    contentType,
    content: contentType === URL_CONTENT ? { targetUrl: text('targetUrl') } : readContent(context, itemIndex),
  };
  // Read before anything is made: its expression may fail.
  const publish = isYes(context.getNodeParameter('publish', itemIndex, true));
  const created = await client.qr.create(input, writeOptions(itemIndex, input));
  if (!publish) return [{ json: created as IDataObject }];
  try {
    const { id } = created;
    return [{ json: (await client.qr.publish(id, writeOptions(itemIndex, { id }))) as IDataObject }];
  } catch (error) {
    throw notPublished(context.getNode(), created, error);
  }
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
