import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { API_PATH, type CallOptions, type QrServiceClient } from '../../../core.ts';
import { toText } from './toText.ts';

/**
 * Finds the id of the code that an item names: an id is taken as it is, an API address holds it, and a
 * short link is looked up among the workspace's codes, which are walked at most once a run.
 */
export function qrCodeResolver(
  context: IExecuteFunctions,
  client: QrServiceClient,
  options: CallOptions,
): (itemIndex: number) => Promise<string> {
  let shortLinks: Promise<Map<string, string>> | undefined;
  return async (itemIndex) => {
    const named = namedCode(context.getNodeParameter('qrCodeId', itemIndex));
    if (named === '') {
      throw new NodeOperationError(context.getNode(), 'No QR code was given.', {
        description: 'Choose one from the list, or give its ID or its short link.',
        itemIndex,
      });
    }
    if (!/^https?:\/\//i.test(named)) return named;
    const inApiAddress = idInApiAddress(named);
    if (inApiAddress !== undefined) return inApiAddress;
    shortLinks ??= readShortLinks(client, options);
    const id = (await shortLinks).get(linkKey(named));
    if (id !== undefined) return id;
    throw new NodeOperationError(context.getNode(), `No QR code has the short link ${named}.`, {
      description: 'Check the link, or give the ID of the QR code instead.',
      itemIndex,
    });
  };
}

function namedCode(parameter: unknown): string {
  const isLocator = typeof parameter === 'object' && parameter !== null && 'value' in parameter;
  return toText(isLocator ? parameter.value : parameter);
}

function idInApiAddress(url: string): string | undefined {
  const id = new RegExp(`${API_PATH}/(?:workspaces/[^/]+/)?qr/([^/?#]+)`).exec(url)?.[1];
  return id === undefined ? undefined : decodeURIComponent(id);
}

async function readShortLinks(client: QrServiceClient, options: CallOptions): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for await (const code of client.qr.list({}, options)) ids.set(linkKey(code.publicUrl), code.id);
  return ids;
}

/** Two spellings of one link are the same: the scheme, the host's case, a slash at the end, a query. */
function linkKey(link: string): string {
  if (!URL.canParse(link)) return link;
  const { host, pathname } = new URL(link);
  return host + pathname.replace(/\/+$/, '');
}
