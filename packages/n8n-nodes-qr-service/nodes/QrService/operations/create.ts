import { createAndPublish, INPUTS, isNotPublishedError } from '../../../deps.ts';
import { inputProperty, sentences } from '../../platform/inputProperty.ts';
import {
  deduplicationKeyOption,
  includeInputFieldsProperty,
  optionsProperty,
  showFor,
} from '../common/descriptions.ts';
import { toNotPublishedError } from '../common/rowErrors.ts';
import { resultItem, type Operation } from '../common/run.ts';

const nameProperty = inputProperty(INPUTS.name);

const targetUrlProperty = inputProperty(INPUTS.targetUrl);

const publishProperty = inputProperty(INPUTS.publish, {
  description: sentences('Whether to publish the code right away.', INPUTS.publish.help),
});

export const description = showFor(
  'qrCode',
  ['create'],
  [
    nameProperty,
    targetUrlProperty,
    publishProperty,
    includeInputFieldsProperty,
    optionsProperty(deduplicationKeyOption),
  ],
);

/** Creates one code per item and, if Publish is on, publishes it. */
export const execute: Operation = (run, itemIndex) => {
  const { context, client, memory, requestOptions, writeOptions } = run;
  const parameters = run.parameters(itemIndex);
  const name = parameters.text(nameProperty);
  const targetUrl = parameters.webAddress(targetUrlProperty);
  client.qr.checkTarget(targetUrl);
  const row = { name, targetUrl };
  const publish = parameters.yesNo(publishProperty);
  const output = resultItem(run, itemIndex);
  const createOptions = writeOptions(itemIndex)(row);
  return async () => {
    try {
      const code = await createAndPublish(client.qr, row, {
        publish,
        memory,
        createOptions,
        publishOptions: requestOptions,
      });
      return output(code);
    } catch (error) {
      throw isNotPublishedError(error) ? toNotPublishedError(context, error) : error;
    }
  };
};
