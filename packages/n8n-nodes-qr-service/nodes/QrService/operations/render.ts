import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import {
  fileStem,
  INPUTS,
  KNOWN_STATUSES,
  omitUndefined,
  showText,
  targetUrlOf,
  type ImageFormat,
  type RenderedImage,
} from '../../../deps.ts';
import { collection, inputProperty } from '../../platform/properties.ts';
import { isAgentRun } from '../common/agent.ts';
import { fieldsAbout } from '../common/codeReferences.ts';
import { describeAction, qrCodeIdProperty } from '../common/descriptions.ts';
import { downloadImages, formatProperty, toFiles, unlessPublished } from '../common/images.ts';
import type { KnownCode, Operation } from '../common/operation.ts';
import type { Run } from '../common/startRun.ts';

export const option = {
  name: 'Download Image',
  action: 'Download QR code image',
  description: describeAction('render'),
};

const sizeOption = inputProperty(INPUTS.size, {
  typeOptions: { minValue: 0 },
  description: 'Set to 0 for the default size',
});

const fieldProperty: INodeProperties = {
  displayName: 'Put Output File in Field',
  name: 'binaryPropertyName',
  type: 'string',
  required: true,
  default: 'data',
  description: 'Name of the output binary field. Files in other fields of the item are kept.',
};

const additionalFormatsOption = {
  displayName: 'Additional Formats',
  name: 'additionalFormats',
  type: 'multiOptions',
  options: formatProperty.options ?? [],
  default: [],
  description:
    'Other formats to download. Each file goes into its own field, named after the output field and the format, for example data_svg.',
} satisfies INodeProperties;

const fileNameOption = {
  displayName: 'File Name',
  name: 'fileName',
  type: 'string',
  default: '',
  description:
    'Name of the file, without its extension. The default is the slug of the QR code, or its name.',
} satisfies INodeProperties;

const renderOptions = collection('Option', additionalFormatsOption, fileNameOption, sizeOption);

export const properties = [qrCodeIdProperty, formatProperty, fieldProperty, renderOptions];

/** Adds a code's images to each item. An agent receives what the files are instead: n8n hands no files to a model. */
export const start: Operation['start'] = (run) => {
  const { context, references } = run;
  const knownCode = codeReader(run);
  return {
    check(parameters, itemIndex) {
      const field = parameters.text(fieldProperty);
      const format = parameters.oneOf(formatProperty) as ImageFormat;
      const options = parameters.in(renderOptions);
      const size = options.wholeNumber(sizeOption);
      const others = options.severalOf(additionalFormatsOption) as ImageFormat[];
      const chosenName = options.text(fileNameOption);
      const codeId = references.read(parameters);
      return async () => {
        const id = await codeId();
        const images = await downloadImages(run, id, [format, ...others], size);
        const item = context.getInputData()[itemIndex] as INodeExecutionData;
        const code = await knownCode(id, item);
        const stem = fileStem(chosenName, code.slug, code.name, id);
        const result = { outcome: 'downloaded', unpublished: unlessPublished(code) } as const;
        if (isAgentRun(context)) return { ...result, outputs: [{ json: describeFiles(code, images, stem) }] };
        const binary = { ...item.binary, ...(await toFiles(run, images, stem, field)) };
        return { ...result, outputs: [{ json: item.json, binary }] };
      };
    },
  };
};

/**
 * Makes the function that returns what is known about an image's code: the row, if it has the status of this code from a node of
 * this package (a sheet may be old), or else the code. It is only for names and warnings, so a failure ends reading.
 */
function codeReader({ context, references }: Run) {
  const { name: own } = context.getNode();
  const isOurs = (type: string) => /\.qrService(Polling)?(Trigger)?$/.test(type);
  const isFresh = context.getParentNodes(own).some(({ name, type }) => name !== own && isOurs(type));
  let mayRead = true;
  const stopReading = () => void (mayRead = false);
  return async (id: string, item: INodeExecutionData): Promise<KnownCode> => {
    const row = fieldsAbout(id, item);
    if (isFresh && KNOWN_STATUSES.includes(row.status ?? '')) return { ...row, id };
    const { status: _, ...rest } = row;
    const read = mayRead ? await references.codes().byId(id).catch(stopReading) : {};
    return { ...rest, ...read, id };
  };
}

/** The files and their code, for an agent's model. The code's summary in the API has no destination. */
function describeFiles(code: KnownCode, images: readonly RenderedImage[], stem: string): IDataObject {
  const [first, ...others] = images.map((image) => ({
    fileName: `${stem}.${image.format}`,
    mimeType: image.contentType,
    fileSize: image.body.byteLength,
  }));
  const { id, name, publicUrl, status } = code;
  const warning = unlessPublished(code)
    ? `This QR code isn't published (${showText(status ?? '')}), so its short link doesn't work. `
    : '';
  return {
    id,
    ...omitUndefined({ name, publicUrl, status, targetUrl: targetUrlOf(code) }),
    ...first,
    ...(others.length > 0 ? { additionalFiles: others } : {}),
    message: `${warning}The image was rendered but not kept, because a tool cannot pass files to an agent. To send or save it, use a tool whose workflow downloads the image of this QR code by its ID.`,
  };
}
