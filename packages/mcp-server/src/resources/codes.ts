import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  UriTemplate,
  type McpServer,
  type Variables,
} from '@modelcontextprotocol/server';
import { isApiError } from '@qr-service/core';
import {
  codeLabel,
  IMAGE_FORMATS,
  isOwnError,
  isParameterError,
  omitUndefined,
} from '@qr-service/core/connector';
import { toToolError } from '../errors/toolError.ts';
import { Arguments } from '../schemas/Arguments.ts';
import { codeRecord } from '../schemas/records.ts';
import { CODE_URI, codeUri, IMAGE_URI } from '../schemas/uris.ts';
import type { Shared } from '../tools/Tool.ts';

/** Codes on a page of resources: a client shows them for the user to choose from. */
const PAGE_SIZE = 50;

/** Offers codes as resources: their fields as JSON. */
export function registerCodes(server: McpServer, { client, targets }: Shared): void {
  const template = new ResourceTemplate(CODE_URI, { list: undefined });
  const config = {
    title: 'QR Code',
    description: 'A QR code: its name, short link, status and time of the last change.',
    mimeType: 'application/json',
  };
  server.registerResource('qr-code', template, config, ({ href }, { id }, { mcpReq: { signal } }) =>
    withProtocolErrors(href, async () => {
      const code = await client.qr.get(readId(id), { signal });
      const text = JSON.stringify(codeRecord(code, targets.of(code)), null, 2);
      return { contents: [{ uri: href, mimeType: config.mimeType, text }] };
    }),
  );
  // The SDK's own handler has no pages. The cursor is the API's own.
  server.server.setRequestHandler('resources/list', ({ params }, { mcpReq: { signal } }) =>
    withProtocolErrors(CODE_URI, async () => {
      const query = omitUndefined({ cursor: params?.cursor });
      const { rows, nextCursor } = await client.qr.listPage({ ...query, limit: PAGE_SIZE }, { signal });
      const resources = rows.map((code) => ({
        ...config,
        uri: codeUri(code.id),
        name: codeLabel(code),
      }));
      return { resources, ...omitUndefined({ nextCursor }) };
    }),
  );
}

/** The SDK's own template matches only if all parts of the query are there, in this order. */
class ImageUriTemplate extends UriTemplate {
  override match(uri: string): Variables | null {
    const id = /^qr:\/\/codes\/([^/?#]+)\/image(?:\?[^#]*)?$/.exec(uri)?.[1];
    return id === undefined ? null : { id };
  }
}

/** Offers the images of codes as resources. */
export function registerImages(server: McpServer, { client }: Shared): void {
  const template = new ResourceTemplate(new ImageUriTemplate(IMAGE_URI), {
    list: undefined,
    complete: { format: (start) => IMAGE_FORMATS.filter((format) => format.startsWith(start)) },
  });
  const config = {
    title: 'Image of a QR Code',
    description:
      'The image of a QR code, as PNG (default), SVG or PDF. The size is in the unit of the service.',
  };
  server.registerResource(
    'qr-code-image',
    template,
    config,
    ({ href, searchParams }, { id }, { mcpReq: { signal } }) =>
      withProtocolErrors(href, async () => {
        const args = new Arguments(Object.fromEntries(searchParams));
        const format = args.oneOf('format', IMAGE_FORMATS) ?? 'png';
        const size = args.wholeNumber('size', { min: 1 });
        const image = await client.qr.render(readId(id), omitUndefined({ format, size }), { signal });
        const { contentType: mimeType, body } = image;
        const content = Buffer.from(body);
        const isText = image.format === 'svg';
        return {
          contents: [
            isText
              ? { uri: href, mimeType, text: content.toString('utf8') }
              : { uri: href, mimeType, blob: content.toString('base64') },
          ],
        };
      }),
  );
}

/** The ID in a URI. */
function readId(id: string | string[] | undefined): string {
  const text = [id].flat().join(',');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reading a resource has no result for errors, only an error of the protocol. */
async function withProtocolErrors<Result>(uri: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const { message } = toToolError(error);
    if (isOwnError(error, 404)) throw new ResourceNotFoundError(uri, message);
    const isInvalid = isParameterError(error) || (isApiError(error) && error.code === 'invalid_cursor');
    throw new ProtocolError(
      isInvalid ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
      message,
    );
  }
}
