import { isApiError, type QrCode } from '@qr-service/core';
import { CodeFinder, INPUTS, omitUndefined, publishCode, retargetCode } from '@qr-service/core/connector';
import * as z from 'zod';
import { requiredText, webAddress } from '../schemas/arguments.ts';
import { changedLine, CODE_SCHEMA, codeLine, codeRecord, shownUrl } from '../schemas/records.ts';
import { keepTarget, targetOf } from '../session/session.ts';
import { defineTool, lines, READS, SEARCH_MS, WRITES, type ToolCall } from './Tool.ts';

/** The argument that names a code. */
const CODE = requiredText("The QR code's ID, or its short link as printed. find_qr_codes finds it by name.");

/** ID of the code that a model names. A short link is looked up among the workspace's codes. */
export function codeIdOf({ client, signal }: ToolCall, code: string): Promise<string> {
  return new CodeFinder(client.qr, { searchMs: SEARCH_MS, signal }).idOf(code);
}

/** Structured content of a tool that returns one code. */
const CODE_OUTPUT = z.object({ qrCode: CODE_SCHEMA });

/** What to do about a code that isn't published; empty for any other. */
function draftText({ status }: Record<string, unknown>): string {
  return status === 'draft' ? "Its short link doesn't work until it is published with publish_qr_code." : '';
}

/** Reads one code. */
export const getQrCode = defineTool({
  name: 'get_qr_code',
  title: 'Get QR Code',
  description: [
    'Returns one QR code by its ID or short link: its name, short link, status and time of the last change.',
    'Use it to check the state of a code. To search by name, use find_qr_codes.',
    'It changes nothing and never returns the image.',
  ].join(' '),
  annotations: READS,
  operations: ['qr.get'],
  input: { code: CODE },
  output: CODE_OUTPUT,
  run: async (call, args) => {
    const { client, memory, signal } = call;
    const id = await codeIdOf(call, args.code);
    const code = await client.qr.get(id, { signal });
    const qrCode = codeRecord(code, targetOf(memory, code));
    return { text: lines(changedLine(qrCode), draftText(qrCode)), structured: { qrCode } };
  },
});

/** How long reading the code may delay its publication, in milliseconds: clients give up after a minute. */
const READ_MS = 3000;

/** Publishes a code. */
export const publishQrCode = defineTool({
  name: 'publish_qr_code',
  title: 'Publish QR Code',
  description: [
    'Publishes a QR code so that its short link works.',
    'Use it for a code that was created with publish false, or that create_qr_codes created but could not publish.',
    'Returns the published code. Publishing a code that is already published changes nothing.',
    'It never changes where a code points and never creates one.',
  ].join(' '),
  annotations: WRITES,
  operations: ['qr.publish'],
  input: { code: CODE },
  output: CODE_OUTPUT,
  run: async (call, args) => {
    const { client, memory, signal } = call;
    const id = await codeIdOf(call, args.code);
    // Shows whether someone else has changed its destination. If it can't be read, it is published anyway.
    const before = await client.qr.get(id, { signal, totalTimeoutMs: READ_MS }).catch(() => ({ id }));
    signal.throwIfAborted();
    const code = await publishCode(client.qr, id, { signal });
    keepTarget(memory, before, code);
    const qrCode = codeRecord(code, targetOf(memory, code));
    return { text: `Published: ${codeLine(qrCode)}`, structured: { qrCode } };
  },
});

/** Updates the destination of a code. */
export const retargetQrCode = defineTool({
  name: 'retarget_qr_code',
  title: 'Update QR Code Destination',
  description: [
    'Changes where a QR code points (retargets it), so that printed copies lead to the new destination without reprinting.',
    'Use it only when the user wants an existing code to point somewhere else: everyone who scans it is affected at once. To create a code, use create_qr_codes.',
    'Returns the code, its new destination and, if it is known, the previous one, so that the change can be undone.',
    'It never changes the printed image or the short link.',
  ].join(' '),
  annotations: WRITES,
  operations: ['qr.retarget'],
  input: { code: CODE, url: webAddress(INPUTS.url.help) },
  output: z.object({
    qrCode: CODE_SCHEMA,
    previousUrl: z.string().optional().describe('Previous destination, if it is known.'),
  }),
  run: async (call, { code: named, url }) => {
    const { client, memory, session, signal } = call;
    client.qr.checkTarget(url);
    const id = await codeIdOf(call, named);
    // An earlier call may still be reading the code, and take its turn after that.
    await session.inTurn('upsert_qr_codes', () => Promise.resolve());
    const { code, previousUrl } = await memory.inTurn(`id ${id}`, async () => {
      const current = await readCode(call, { id });
      const before = targetOf(memory, current);
      // For upsert_qr_codes, if the response is lost: reads may still show the code as it was.
      memory.forgetTarget(id);
      // With a new Idempotency-Key each time: a replay would leave the code where somebody has pointed it since.
      const retargeted = await retargetCode(client.qr, current, url, { signal });
      memory.setTarget(retargeted, url);
      return { code: retargeted, previousUrl: before };
    });
    const qrCode = { ...codeRecord(code), targetUrl: url };
    const before =
      previousUrl === undefined
        ? 'Its previous destination is not known.'
        : `It pointed to ${shownUrl(previousUrl)} before.`;
    return {
      text: lines(`Updated: ${codeLine(qrCode)}`, before, draftText(qrCode)),
      structured: { qrCode, ...omitUndefined({ previousUrl }) },
    };
  },
});

/** A code as it is now; what is known of it if the API key may not read codes. */
export async function readCode<Known extends Pick<QrCode, 'id'>>(call: ToolCall, known: Known) {
  return call.client.qr.get(known.id, { signal: call.signal }).catch((error: unknown) => {
    if (isApiError(error) && error.code === 'insufficient_scope') return known;
    throw error;
  });
}
