import * as z from 'zod';
import { changedLine, codeRecord } from '../schemas/records.ts';
import { CODE_ARGUMENT, codeIdOf } from './codeArgument.ts';
import { CODE_OUTPUT, draftText, lines } from './codeResult.ts';
import { READS, type Tool } from './Tool.ts';

/** Reads one code. */
export const getQrCode: Tool = {
  name: 'get_qr_code',
  title: 'Get QR Code',
  description: [
    'Returns one QR code by its ID or short link: its name, short link, status and time of the last change.',
    'Use it to check the state of a code. To search by name, use find_qr_codes.',
    'It changes nothing and never returns the image.',
  ].join(' '),
  annotations: READS,
  operations: ['qr.get'],
  input: z.object({ code: CODE_ARGUMENT }),
  output: CODE_OUTPUT,
  run: async (call) => {
    const { client, signal, targets } = call;
    const id = await codeIdOf(call);
    const code = await client.qr.get(id, { signal });
    const qrCode = codeRecord(code, targets.of(code));
    return { text: lines(changedLine(qrCode), draftText(qrCode)), structured: { qrCode } };
  },
};
