import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { ImageFormat } from '../../../../core.ts';
import { showFor } from '../../descriptions/showFor.ts';
import { imageFileName } from '../../helpers/fileName.ts';
import { toText } from '../../helpers/toText.ts';
import type { Operation } from '../Run.ts';

export const description = showFor(
  'qrCode',
  ['render'],
  [
    {
      displayName: 'Format',
      name: 'format',
      type: 'options',
      options: [
        { name: 'PDF', value: 'pdf' },
        { name: 'PNG', value: 'png' },
        { name: 'SVG', value: 'svg' },
      ],
      default: 'png',
      description: 'File format of the image',
    },
    {
      displayName: 'Size',
      name: 'size',
      type: 'number',
      typeOptions: { minValue: 0 },
      default: 0,
      description: 'Size of the image, in the service’s own unit. With 0 the service chooses.',
    },
    {
      displayName: 'Put Output File in Field',
      name: 'binaryPropertyName',
      type: 'string',
      required: true,
      default: 'data',
      hint: 'The name of the output field to put the file in',
      description: 'Name of the binary field; files that the item already has in other fields stay',
    },
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: [
        {
          displayName: 'File Name',
          name: 'fileName',
          type: 'string',
          default: '',
          description:
            'Name of the file, without its ending. By default the slug, the name or the ID of the code.',
        },
      ],
    },
  ],
);

/** Adds the image of one code an item to the item, which keeps its fields and its other files. */
export const execute: Operation = async ({ context, client, qrCodeId, readOptions }, itemIndex) => {
  const id = await qrCodeId(itemIndex);
  const size = context.getNodeParameter('size', itemIndex, 0) as number;
  const format = context.getNodeParameter('format', itemIndex) as ImageFormat;
  const field = context.getNodeParameter('binaryPropertyName', itemIndex);
  const { fileName }: IDataObject = context.getNodeParameter('options', itemIndex, {});
  const image = await client.qr.render(id, { format, ...(size > 0 ? { size } : {}) }, readOptions);

  const item: INodeExecutionData = context.getInputData()[itemIndex] ?? { json: {} };
  const file = await context.helpers.prepareBinaryData(
    Buffer.from(image.body),
    imageFileName(image, id, item.json, toText(fileName)),
    image.contentType,
  );
  return [{ json: item.json, binary: { ...item.binary, [field]: file } }];
};
