import { isApiError, isQrServiceError, type QrCode, type QrServiceClient } from '@qr-service/core';
import {
  createAndPublish,
  isNotPublishedError,
  isSameUrl,
  retargetCode,
  showText,
  targetUrlOf,
} from '@qr-service/core/connector';
import type { FindingId } from '../../findings/catalog.ts';
import type { Exchange } from '../../http/Exchange.ts';
import { showName } from '../../http/redact.ts';
import { codePath, publish, retarget, TARGETS, waitUntil } from '../changes.ts';
import { wrapperOf } from '../codes.ts';
import { NoResponse, type Probe } from '../Probe.ts';
import { inputOf, readCode } from './create.ts';
import { checkLink } from './redirect.ts';

const ACCEPTED = 'The service accepted the request, but';

/**
 * Publishes a new code, and looks whether it is published and its short link works.
 * @returns its short link
 */
export async function checkPublish(probe: Probe, created: Exchange, code: QrCode): Promise<string> {
  const exchange = await publish(probe, code.id);
  const options = { publish: true, createOptions: {}, publishOptions: () => ({}) };
  const published = await readChange(probe, 'codes.publish', code.id, [created, exchange], (client) =>
    createAndPublish(client, inputOf(probe, 'any'), options),
  );
  if (published === undefined) {
    probe.answer('codes.redirect', { verdict: 'unknown', explanation: 'The code was not published.' });
    return code.publicUrl;
  }
  const read = () => readNow(probe, code.id);
  const isChanged = (now?: QrCode) => now?.status !== code.status || now.status === 'published';
  // A draft may have no short link.
  const { publicUrl } = { ...published, ...(await read()) };
  const link = await checkLink(probe, 'codes.redirect', publicUrl, TARGETS[0]);
  if (link.target !== undefined) return publicUrl;
  const after = link.isBroken ? await read() : await waitUntil(probe, read, isChanged);
  if (isChanged(after)) return publicUrl;
  probe.wireShape.ignored = 'publish';
  probe.answer('codes.publish', {
    verdict: 'fails',
    value: `still ${showText(String(after?.status), 40)}`,
    explanation: `${ACCEPTED} the code isn't published.`,
    from: [exchange],
  });
  return publicUrl;
}

/** Updates the destination of the published code, and looks whether it and its short link lead there. */
export async function checkDestination(probe: Probe, code: QrCode, publicUrl: string): Promise<void> {
  const exchange = await retarget(probe, code.id);
  const changed = await readChange(probe, 'codes.destination', code.id, [exchange], (client) =>
    retargetCode(client.qr, code.id, TARGETS[1]),
  );
  if (changed === undefined) return;
  const wasSeen = probe.answerTo('codes.redirect')?.verdict === 'works';
  const link = wasSeen ? await checkLink(probe, 'codes.retargeted', publicUrl, TARGETS[1]) : undefined;
  const shown = targetUrlOf(await readNow(probe, code.id));
  const leadsTo = (target: string) =>
    link?.target === target || (shown !== undefined && isSameUrl(shown, target));
  if (!wasSeen)
    probe.answer('codes.retargeted', {
      verdict: 'unknown',
      explanation: "The short link wasn't seen to lead to the first target.",
    });
  if (leadsTo(TARGETS[1])) return;
  if (leadsTo(TARGETS[0])) probe.wireShape.ignored = probe.wireShape.ignored ? 'both' : 'destination';
  probe.answer('codes.destination', {
    verdict: leadsTo(TARGETS[0]) ? 'fails' : 'unknown',
    value: leadsTo(TARGETS[0]) ? 'not changed' : 'accepted',
    explanation: leadsTo(TARGETS[0])
      ? `${ACCEPTED} the destination isn't changed.`
      : `${ACCEPTED} neither the code nor its short link shows where it leads.`,
    from: [exchange],
  });
}

/** The code as it is read now; undefined if it can't be. */
async function readNow(probe: Probe, id: string): Promise<QrCode | undefined> {
  const exchange = await probe.get(codePath(id)).catch((error: unknown): undefined => {
    if (!(error instanceof NoResponse)) throw error;
  });
  if (exchange === undefined) return undefined;
  return (await probe.read([exchange], (client) => client.qr.get(id))).result;
}

/**
 * Reads the response to a change with the connector's own code, and answers what it shows.
 * @returns undefined if nothing was changed
 */
async function readChange(
  probe: Probe,
  id: Extract<FindingId, 'codes.publish' | 'codes.destination'>,
  codeId: string,
  exchanges: readonly Exchange[],
  change: (client: QrServiceClient) => Promise<QrCode>,
): Promise<QrCode | undefined> {
  const exchange = exchanges.at(-1) as Exchange;
  const read = await probe.read(exchanges, change);
  const error = isNotPublishedError(read.error) ? read.error.cause : read.error;
  if (isApiError(error) && ['approval_required', 'contrast_check_failed'].includes(error.code)) {
    probe.repeat(exchange);
    probe.answer(id, { verdict: 'unknown', explanation: probe.explain(error), from: [exchange] });
    return undefined;
  }
  await probe.requireSuccess(id, exchange);
  if (isQrServiceError(error) && error.code === 'not_published') {
    probe.wireShape.ignored = 'publish';
    probe.answer(id, { verdict: 'fails', explanation: probe.explain(error), from: [exchange] });
    return undefined;
  }
  if (read.result === undefined) probe.fail(id, error, exchange);
  const hasCode = (await readCode(probe, exchange)).result?.id === codeId;
  const { form, value } = changeForm(exchange, hasCode, codeId);
  if (form !== undefined) probe.wireShape.change ??= form;
  probe.answer(id, {
    verdict: 'works',
    value,
    explanation: hasCode ? undefined : 'The connector fetches the code after it.',
    from: [exchange],
  });
  return read.result;
}

function changeForm(
  { json, text, status }: Exchange,
  hasCode: boolean,
  id: string,
): { form?: 'summary' | 'empty' | 'ok' | 'wrapped'; value: string } {
  if (text.trim() === '') return { form: 'empty', value: `empty, status ${status}` };
  if (!hasCode) return { form: 'ok', value: 'no code' };
  const wrapper = wrapperOf(json, id);
  const isAlone = wrapper === undefined || Object.keys(json as object).length === 1;
  return isAlone
    ? { form: 'summary', value: wrapper === undefined ? 'the code' : `the code inside ${showName(wrapper)}` }
    : { form: 'wrapped', value: `the code inside ${showName(wrapper)}, next to other fields` };
}
