import type { IBinaryData, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import {
  fileStem,
  INPUTS,
  NotPublishedError,
  type ImageFormat,
  type QrCode,
  type RenderedImage,
} from '../../../deps.ts';
import type { Parameters } from '../../platform/parameters.ts';
import { inputProperty } from '../../platform/properties.ts';
import type { ItemResult, KnownCode, Outcome } from './operation.ts';
import { throwUnfinished, type UnfinishedWords } from './rowErrors.ts';
import type { Run } from './startRun.ts';

/** The format of an image. */
export const formatProperty = inputProperty(INPUTS.format);

/** The images of a code that is created or updated. */
export const downloadImagesOption = {
  displayName: 'Download Images',
  name: 'downloadImages',
  type: 'multiOptions',
  options: formatProperty.options ?? [],
  default: [],
  description:
    'Formats to download after the code is created or updated, for which the API key needs exports:read. The first file goes into the field data. Each other one goes into its own field, for example data_svg.',
  // A tool can't pass files to an agent.
  displayOptions: { hide: { '@tool': [true] } },
} satisfies INodeProperties;

/** Reads which images an item gets, and returns the function that adds them to its output once its code exists. */
export function imagesOf(run: Run, options: Parameters, words: UnfinishedWords) {
  const formats = options.severalOf(downloadImagesOption) as ImageFormat[];
  return async (code: QrCode, outcome: Outcome, outputs: INodeExecutionData[]): Promise<ItemResult> => {
    if (formats.length === 0) return { outputs, outcome };
    try {
      const images = await downloadImages(run, code.id, formats);
      const files = await toFiles(run, images, fileStem(code.slug, code.name, code.id));
      const withFiles = outputs.map((item) => ({ ...item, binary: { ...item.binary, ...files } }));
      return { outputs: withFiles, outcome, unpublished: unlessPublished(code) };
    } catch (error) {
      const problem = `was ${outcome}, but its image could not be downloaded`;
      const publish = 'use Download Image with its ID';
      const fail = throwUnfinished(run.context, { ...words, problem, publish });
      return fail(new NotPublishedError(code, error));
    }
  };
}

/** Downloads the image of a code in each format. */
export async function downloadImages(run: Run, id: string, formats: ImageFormat[], size = 0) {
  const images: RenderedImage[] = [];
  for (const format of new Set(formats)) {
    const render = { format, ...(size > 0 ? { size } : {}) };
    images.push(await run.client.qr.render(id, render, run.requestOptions));
  }
  return images;
}

/** The images as files of an item: the first one in a field, each other one in a field named after it and its format. */
export async function toFiles(run: Run, images: RenderedImage[], stem: string, field = 'data') {
  const files: Record<string, IBinaryData> = {};
  for (const [index, { body, contentType, format }] of images.entries()) {
    // Shares the bytes instead of copying them.
    const bytes = Buffer.from(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
    const key = index === 0 ? field : `${field}_${format}`;
    files[key] = await run.context.helpers.prepareBinaryData(bytes, `${stem}.${format}`, contentType);
  }
  return files;
}

/** The code if its image leads nowhere, as it isn't published. */
export function unlessPublished(code: KnownCode): KnownCode | undefined {
  return (code.status ?? 'published') === 'published' ? undefined : code;
}
