import type { IDataObject } from 'n8n-workflow';
import { createAndPublish, INPUTS, isNotPublishedError } from '../../../../core.ts';
import { deduplicationKeyOption, optionsProperty } from '../../descriptions/options.ts';
import { inputProperty, sentences } from '../../../shared/inputProperty.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { notPublished } from '../../helpers/notPublished.ts';
import type { Operation } from '../../run/Run.ts';

const URL_CONTENT = 'url';

const nameProperty = inputProperty(INPUTS.name);

const targetUrlProperty = inputProperty(INPUTS.targetUrl, {
  displayOptions: { show: { contentType: [URL_CONTENT] } },
});

const contentProperty = inputProperty(INPUTS.content, {
  displayOptions: { hide: { contentType: [URL_CONTENT] } },
});

const publishProperty = inputProperty(INPUTS.publish, {
  description: sentences('Whether to publish the code right away.', INPUTS.publish.help),
});

const modeProperty = inputProperty(INPUTS.mode);

const contentTypeProperty = inputProperty(INPUTS.contentType);

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

/** Creates one code per item and, where asked to, publishes it; each of the two calls has its own Idempotency-Key. */
export const execute: Operation = async ({ context, parameters, client, writeOptions }, itemIndex) => {
  const values = parameters(itemIndex);
  const contentType = values.text(contentTypeProperty);
  const input = {
    name: values.text(nameProperty),
    mode: values.text(modeProperty),
    contentType,
    content:
      contentType === URL_CONTENT
        ? { targetUrl: values.text(targetUrlProperty) }
        : values.jsonObject(contentProperty),
  };
  const publish = values.yesNo(publishProperty);
  try {
    const code = await createAndPublish(client, input, {
      publish,
      createOptions: writeOptions(itemIndex, input),
      publishOptions: ({ id }) => writeOptions(itemIndex, { id }),
    });
    return [{ json: code as IDataObject }];
  } catch (error) {
    throw isNotPublishedError(error) ? notPublished(context.getNode(), error) : error;
  }
};
