import { createAndPublish, INPUTS } from '../../../deps.ts';
import { collection, inputProperty, sentences } from '../../platform/properties.ts';
import { codeOutput, inputFieldsProperty } from '../common/codeOutput.ts';
import { deduplicationKeyOption, describeAction } from '../common/descriptions.ts';
import { downloadImagesOption, imagesOf } from '../common/images.ts';
import type { Operation } from '../common/operation.ts';
import { throwUnfinished } from '../common/rowErrors.ts';
import { readTarget, urlParametersOption } from '../common/targetUrl.ts';

export const option = { name: 'Create', action: 'Create QR code', description: describeAction('create') };

const nameProperty = inputProperty(INPUTS.name);

const targetUrlProperty = inputProperty(INPUTS.targetUrl);

const publishProperty = inputProperty(INPUTS.publish, {
  description: sentences('Whether to publish the code right away.', INPUTS.publish.help),
});

const options = collection('Option', deduplicationKeyOption, downloadImagesOption, urlParametersOption);

export const properties = [nameProperty, targetUrlProperty, publishProperty, inputFieldsProperty, options];

/** Creates one code per item and, if Publish is on, publishes it. */
export const start: Operation['start'] = (run) => ({
  check(parameters, itemIndex) {
    const { client, context, keys, memory, publishOptions, requestOptions } = run;
    const name = parameters.newName(nameProperty);
    const targetUrl = readTarget(run, parameters, targetUrlProperty, options);
    const row = { name, targetUrl };
    const publish = parameters.yesNo(publishProperty);
    const output = codeOutput(context, parameters, itemIndex);
    const deduplicationKey = parameters.in(options).key(deduplicationKeyOption);
    const idempotencyKey = keys.ofItem(itemIndex, deduplicationKey)(row);
    const createOptions = { ...requestOptions, idempotencyKey };
    const unfinished = { hasDeduplicationKey: deduplicationKey !== undefined };
    const addImages = imagesOf(run, parameters.in(options), unfinished);
    return async () => {
      const settings = { publish, memory, createOptions, publishOptions };
      const creating = createAndPublish(client.qr, row, settings);
      const code = await creating.catch(throwUnfinished(context, unfinished));
      return addImages(code, 'created', output(code));
    };
  },
});
