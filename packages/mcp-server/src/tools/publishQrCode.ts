import { ACTIONS, publishCode } from '@qr-service/core/connector';
import * as z from 'zod';
import { codeLine, codeRecord } from '../schemas/records.ts';
import { CODE_ARGUMENT, codeIdOf } from './codeArgument.ts';
import { CODE_OUTPUT } from './codeResult.ts';
import { ADDS, type Tool } from './Tool.ts';

/** How long reading the code may delay its publication, in milliseconds: clients give up after a minute. */
const READ_MS = 3000;

/** Publishes a code. */
export const publishQrCode: Tool = {
  name: 'publish_qr_code',
  title: `${ACTIONS.publish.command} QR Code`,
  description: [
    'Publishes a QR code so that its short link works.',
    'Use it for a code that was created with publish false, or that create_qr_codes created but could not publish.',
    'Returns the published code. Publishing a code that is already published changes nothing.',
    'It never changes where a code points and never creates one.',
  ].join(' '),
  annotations: ADDS,
  operations: ['qr.publish'],
  input: z.object({ code: CODE_ARGUMENT }),
  output: CODE_OUTPUT,
  run: async (call) => {
    const { client, signal, targets } = call;
    const id = await codeIdOf(call);
    // Shows whether somebody else has changed its destination. If it can't be read, it is published all the same.
    const before = await client.qr.get(id, { signal, timeoutMs: READ_MS }).catch(() => ({ id }));
    signal.throwIfAborted();
    const code = await publishCode(client.qr, id, { signal });
    targets.keep(before, code);
    const qrCode = codeRecord(code, targets.of(code));
    return { text: `Published: ${codeLine(qrCode)}`, structured: { qrCode } };
  },
};
