import { isApiError, type QrCode } from '@qr-service/core';
import { ACTIONS, INPUTS, omitUndefined, retargetCode, showText } from '@qr-service/core/connector';
import * as z from 'zod';
import { CODE_SCHEMA, codeLine, codeRecord } from '../schemas/records.ts';
import { CODE_ARGUMENT, codeIdOf } from './codeArgument.ts';
import { draftText, lines } from './codeResult.ts';
import { REPLACES, type Tool, type ToolCall } from './Tool.ts';

/** Maximum length of the previous destination in the text: whole, so that the change can be undone. */
const MAX_URL_LENGTH = 2048;

/** Updates the destination of a code. */
export const retargetQrCode: Tool = {
  name: 'retarget_qr_code',
  title: `${ACTIONS.retarget.command} QR Code Destination`,
  description: [
    'Changes where a QR code points (retargets it), so that printed copies lead to the new address without reprinting.',
    'Use it only when the user wants an existing code to point somewhere else: everyone who scans it is affected at once. To create a code, use create_qr_codes.',
    'Returns the code, its new destination and, where it is known, the previous one, so that the change can be undone.',
    'It never changes the printed image or the short link.',
  ].join(' '),
  annotations: REPLACES,
  operations: ['qr.retarget'],
  input: z.object({ code: CODE_ARGUMENT, url: z.string().describe(INPUTS.url.help) }),
  output: z.object({
    qrCode: CODE_SCHEMA,
    previousUrl: z.string().optional().describe('Where it pointed before, if that is known.'),
  }),
  run: async (call) => {
    const url = call.args.webAddress('url');
    call.client.qr.checkTargets({ url });
    const id = await codeIdOf(call);
    const { code, previousUrl } = await call.retargets.take(id, call.signal, () => retarget(call, id, url));
    const qrCode = { ...codeRecord(code), targetUrl: url };
    const before =
      previousUrl === undefined
        ? 'Its previous destination is not known.'
        : `It pointed to ${showText(previousUrl, MAX_URL_LENGTH)} before.`;
    return {
      text: lines(`Updated: ${codeLine(qrCode)}`, before, draftText(qrCode)),
      structured: { qrCode, ...omitUndefined({ previousUrl }) },
    };
  },
};

async function retarget(
  call: ToolCall,
  id: string,
  url: string,
): Promise<{ code: QrCode; previousUrl: string | undefined }> {
  const { client, signal, targets } = call;
  const before = await readCode(call, id);
  const previousUrl = targets.of(before);
  // For upsert_qr_codes, if the response is lost: reads may still show the code as it was.
  targets.memory.forgetTarget(id);
  // With a new Idempotency-Key each time: a replay would leave the code where somebody has pointed it since.
  const code = await retargetCode(client.qr, id, url, { signal });
  targets.set(code, url);
  return { code, previousUrl };
}

/** The code before the change; only its ID if the API key may not read codes. */
async function readCode({ client, signal }: ToolCall, id: string): Promise<Pick<QrCode, 'id'>> {
  return client.qr.get(id, { signal }).catch((error: unknown) => {
    if (isApiError(error) && error.code === 'insufficient_scope') return { id };
    throw error;
  });
}
