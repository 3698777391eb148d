import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { withPublication } from '../../../../core.ts';
import { deduplicationKeyOption, optionsProperty } from '../../descriptions/options.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { notPublished } from '../../helpers/notPublished.ts';
import type { Operation } from '../../run/Run.ts';

const URL_CONTENT = 'url';

const nameProperty: INodeProperties = {
  displayName: 'Name',
  name: 'name',
  type: 'string',
  required: true,
  default: '',
  placeholder: 'e.g. Table 4',
  description: 'Name of the code as the app shows it; the slug of its short link is made from it',
};

const targetUrlProperty: INodeProperties = {
  displayName: 'Target URL',
  name: 'targetUrl',
  type: 'string',
  required: true,
  default: '',
  placeholder: 'e.g. https://example.com/menu',
  description: 'Web address that a scan of the code leads to, complete with https://',
  displayOptions: { show: { contentType: [URL_CONTENT] } },
};

const contentProperty: INodeProperties = {
  displayName: 'Content',
  name: 'content',
  type: 'json',
  required: true,
  default: '{}',
  description: 'What the code holds, as a JSON object with the fields of its content type',
  displayOptions: { hide: { contentType: [URL_CONTENT] } },
};

const publishProperty: INodeProperties = {
  displayName: 'Publish After Creating',
  name: 'publish',
  type: 'boolean',
  default: true,
  description:
    'Whether to publish the code at once, so that its short link works. A code that is not published leads nowhere when it is scanned.',
};

const modeProperty: INodeProperties = {
  displayName: 'Mode',
  name: 'mode',
  type: 'string',
  required: true,
  default: 'dynamic',
  description: 'How the code works: a "dynamic" one can be pointed elsewhere after it was printed',
};

const contentTypeProperty: INodeProperties = {
  displayName: 'Content Type',
  name: 'contentType',
  type: 'string',
  required: true,
  default: URL_CONTENT,
  description: 'What kind of content the code holds. The default is a web address.',
};

export const description = showFor(
  'qrCode',
  ['create'],
  [
    nameProperty,
    targetUrlProperty,
    contentProperty,
    publishProperty,
    modeProperty,
    contentTypeProperty,
    optionsProperty([deduplicationKeyOption]),
  ],
);

/** Creates one code an item and, if asked to, publishes it; each of the two calls has its own Idempotency-Key. */
export const execute: Operation = async ({ context, parameters, client, writeOptions }, itemIndex) => {
  const given = parameters(itemIndex);
  const contentType = given.text(contentTypeProperty);
  const input = {
    name: given.text(nameProperty),
    mode: given.text(modeProperty),
    contentType,
    content:
      contentType === URL_CONTENT
        ? { targetUrl: given.text(targetUrlProperty) }
        : given.jsonObject(contentProperty),
  };
  const publish = given.yesNo(publishProperty);
  const created = await client.qr.create(input, writeOptions(itemIndex, input));
  if (!publish) return [{ json: created as IDataObject }];
  try {
    const { id } = created;
    const published = await client.qr.publish(id, writeOptions(itemIndex, { id }));
    return [{ json: withPublication(created, published) as IDataObject }];
  } catch (error) {
    throw notPublished(context.getNode(), created, error);
  }
};
