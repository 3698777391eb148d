import type { IBinaryData, IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import {
  type ImageFormat,
  INPUTS,
  invalidParameter,
  isPublished,
  KNOWN_STATUSES,
  omitUndefined,
  type QrCode,
  type RenderedImage,
  showText,
  targetUrlOf,
} from '../../../core.ts';
import { optionsProperty, showFor } from '../common/descriptions.ts';
import { inputProperty, sentences } from '../../shared/inputProperty.ts';
import { cleanName, fieldsOf, fileStem } from '../common/fileName.ts';
import { type Parameters } from '../../shared/parameters.ts';
import { type Operation } from '../common/run.ts';

const formatProperty = inputProperty(INPUTS.format);

const sizeOption = inputProperty(INPUTS.size, {
  typeOptions: { minValue: 0 },
  description: sentences(INPUTS.size.help, 'Set to 0 to use the default of the service.'),
});

const fieldProperty: INodeProperties = {
  displayName: 'Put Output File in Field',
  name: 'binaryPropertyName',
  type: 'string',
  required: true,
  default: 'data',
  hint: 'The name of the output binary field to put the file in. Additional formats go into fields like data_svg.',
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
  description: 'Name of the file, without its extension. The default is the slug of the QR code.',
} satisfies INodeProperties;

const renderOptions = optionsProperty([additionalFormatsOption, fileNameOption, sizeOption]);

export const description = showFor('qrCode', ['render'], [formatProperty, fieldProperty, renderOptions]);

/**
 * Adds one code's images to each item, which keeps its fields and other files. An agent receives what the files are and
 * which code they show, without the files: n8n hands none to a model, no later node can read them, and the editor of
 * 2.40 doesn't show them.
 */
export const execute: Operation = (run, itemIndex) => {
  const { context, client, qrCodeId, requestOptions, readCode, isAgentRun, unpublished } = run;
  const parameters = run.parameters(itemIndex);
  const field = readField(parameters);
  const format = parameters.oneOf(formatProperty) as ImageFormat;
  const options = parameters.in(renderOptions);
  const size = options.wholeNumber(sizeOption);
  const others = options.severalOf(additionalFormatsOption) as ImageFormat[];
  const fileName = readFileName(options);
  const codeId = qrCodeId(itemIndex);

  return async () => {
    const id = await codeId();
    const images: RenderedImage[] = [];
    for (const wanted of new Set([format, ...others])) {
      const render = { format: wanted, ...(size > 0 ? { size } : {}) };
      images.push(await client.qr.render(id, render, requestOptions));
    }

    const item: INodeExecutionData = context.getInputData()[itemIndex] ?? { json: {} };
    const code = isAgentRun ? await readCode(id) : undefined;
    const row = (code ?? item.json) as IDataObject;
    const slugOf = async () => (code ?? (await readCode(id)))?.slug;
    const stem = await fileStem({ chosen: fileName, row, id }, slugOf);
    const shown = code ?? trusted(id, row) ?? (await readCode(id, true));
    if (shown?.status && !isPublished(shown)) unpublished.set(id, shown);
    const files = images.map((image) => ({
      field: image.format === format ? field : `${field}_${image.format}`,
      fileName: `${stem}.${image.format}`,
      image,
    }));
    if (isAgentRun) return [{ json: describeFiles(id, code, files) }];
    const binary: Record<string, IBinaryData> = { ...item.binary };
    for (const { field: key, fileName: name, image } of files)
      binary[key] = await context.helpers.prepareBinaryData(asBuffer(image.body), name, image.contentType);
    return [{ json: item.json, binary }];
  };
};

/** The row as a code, if it is this one and its status is the service's. Any other is read, as a sheet may have its own. */
function trusted(id: string, row: IDataObject): QrCode | undefined {
  const code = { ...fieldsOf(id, row), id } as Partial<QrCode> as QrCode;
  return KNOWN_STATUSES.includes(code.status) ? code : undefined;
}

interface File {
  fileName: string;
  image: RenderedImage;
}

/** The files and their code, for an agent's model. The code's summary in the API has no target. */
function describeFiles(id: string, code: QrCode | undefined, files: readonly File[]): IDataObject {
  const [first, ...others] = files.map(({ fileName, image }) => ({
    fileName,
    mimeType: image.contentType,
    fileSize: image.body.byteLength,
  }));
  const { name, publicUrl, status } = code ?? {};
  const warning =
    status && status !== 'published'
      ? `This QR code isn't published (${showText(status)}), so its short link doesn't work. `
      : '';
  return {
    id,
    ...omitUndefined({ name, publicUrl, status, targetUrl: targetUrlOf(code) }),
    ...first,
    ...(others.length > 0 ? { additionalFiles: others } : {}),
    message: `${warning}The image was rendered but not kept, because a tool cannot pass files to an agent. To send or save it, use a tool whose workflow downloads the image of this QR code by its ID.`,
  };
}

/** Names that JavaScript doesn't store as fields, or that n8n's expressions may not read. */
const RESERVED_FIELDS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

function readField(parameters: Parameters): string {
  const field = parameters.text(fieldProperty);
  if (!RESERVED_FIELDS.includes(field)) return field;
  throw invalidParameter(
    field,
    { label: fieldProperty.displayName },
    `other than ${RESERVED_FIELDS.join(', ')}`,
  );
}

/** An empty name means the default. */
function readFileName(options: Parameters): string {
  const fileName = options.text(fileNameOption);
  if (fileName === '' || cleanName(fileName) !== '') return fileName;
  throw invalidParameter(
    fileName,
    { label: fileNameOption.displayName },
    'a name that contains more than dots, dashes, spaces and an extension',
  );
}

/** Shares the bytes instead of copying them. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
