import type { INodeProperties } from 'n8n-workflow';
import { createAndPublish, INPUTS, isNotPublishedError } from '../../../core.ts';
import {
  deduplicationKeyOption,
  includeInputFieldsOption,
  optionsProperty,
  showFor,
} from '../common/descriptions.ts';
import { inputProperty, sentences } from '../../shared/inputProperty.ts';
import { notPublished } from '../common/rowErrors.ts';
import { type Operation, resultItem } from '../common/run.ts';

const URL_CONTENT = 'url';
/** Option for a content type that the dropdown doesn't list. */
const OTHER_CONTENT = 'other';

const nameProperty = inputProperty(INPUTS.name);

const targetUrlProperty = inputProperty(INPUTS.targetUrl);

const contentProperty = inputProperty(INPUTS.content, {
  displayOptions: { hide: { contentType: [URL_CONTENT] } },
});

const publishProperty = inputProperty(INPUTS.publish, {
  description: sentences('Whether to publish the code right away.', INPUTS.publish.help),
});

const { required: _required, ...modeOption } = inputProperty(INPUTS.mode);

const contentTypeProperty = inputProperty(INPUTS.contentType, {
  type: 'options',
  options: [
    { name: 'Other (JSON)', value: OTHER_CONTENT },
    { name: 'Web Address', value: URL_CONTENT },
  ],
});

const contentTypeNameProperty: INodeProperties = {
  displayName: 'Content Type Name',
  name: 'contentTypeName',
  type: 'string',
  required: true,
  default: '',
  description: "Name of the content type in the service's API",
};

/**
 * A required property for one content type. With an expression for the content type, n8n shows the
 * properties of all of them, and would refuse to run without those that the evaluated one doesn't need.
 */
function forContentType(property: INodeProperties, contentType: string): INodeProperties[] {
  return [
    { ...property, displayOptions: { hide: { contentType: [{ _cnd: { not: contentType } }] } } },
    {
      ...property,
      required: false,
      displayOptions: { show: { contentType: [{ _cnd: { startsWith: '=' } }] } },
    },
  ];
}

const createOptions = optionsProperty([deduplicationKeyOption, includeInputFieldsOption, modeOption]);

export const description = showFor(
  'qrCode',
  ['create'],
  [
    nameProperty,
    contentTypeProperty,
    ...forContentType(contentTypeNameProperty, OTHER_CONTENT),
    ...forContentType(targetUrlProperty, URL_CONTENT),
    contentProperty,
    publishProperty,
    createOptions,
  ],
);

/** Creates one code per item and, if Publish is on, publishes it. Each of the two calls has its own Idempotency-Key. */
export const execute: Operation = (run, itemIndex) => {
  const { context, parameters, client, memory, writeOptions } = run;
  const values = parameters(itemIndex);
  // Any name, not only those of the dropdown: an expression or an imported workflow may have another.
  const chosen = values.text(contentTypeProperty);
  const contentType = chosen === OTHER_CONTENT ? values.text(contentTypeNameProperty) : chosen;
  const name = values.text(nameProperty);
  const targetUrl = chosen === URL_CONTENT ? values.webAddress(targetUrlProperty) : undefined;
  const input = {
    name,
    mode: values.in(createOptions).text(modeOption),
    contentType,
    content: targetUrl === undefined ? values.jsonObject(contentProperty) : { targetUrl },
  };
  client.qr.checkTargets(input.content);
  const publish = values.yesNo(publishProperty);
  const output = resultItem(run, itemIndex);
  const optionsFor = writeOptions(itemIndex);
  return async () => {
    try {
      const code = await createAndPublish(client, input, {
        publish,
        memory,
        createOptions: optionsFor(input),
        publishOptions: ({ id }) => optionsFor({ id }),
        targetUrl,
      });
      return output(code);
    } catch (error) {
      throw isNotPublishedError(error) ? notPublished(context, error) : error;
    }
  };
};
