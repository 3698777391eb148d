import { duration, headerNames, LIMITS } from '@qr-service/core/connector';
import type { Finding } from '../findings/Finding.ts';
import type { Delivery } from './Delivery.ts';
import { findBody } from './diagnoseBody.ts';
import { checkEvent } from './diagnoseEvent.ts';
import { checkTimestamp, findPrefix, findSignature } from './diagnoseHeader.ts';
import { finding, partsOf, type DiagnosisInput } from './judge.ts';

/**
 * Checks a delivery with the core's verifier. If it fails, finds the header or byte that breaks it, by undoing what
 * proxies and tools are known to do until the verifier accepts it.
 */
export function diagnoseDelivery(input: DiagnosisInput): Finding[] {
  const { delivery, headerPrefix } = input;
  const prefix = findPrefix(delivery, headerPrefix);
  const findings = [...describeCapture(delivery), ...prefix.findings];
  const names = headerNames(prefix.value);
  const signature = findSignature(input, names);
  findings.push(...signature.findings);
  if (signature.header === undefined) return findings;
  const header = signature.header;
  const { timestamp } = partsOf(header);
  findings.push(...checkTimestamp(input, names, timestamp));
  const body = findBody(input, names, header);
  findings.push(...body.findings);
  if (body.isSigned) findings.push(checkAge(input, Number(timestamp)));
  return [...findings, checkEvent(body.signed)];
}

function describeCapture({ rebuilt, others = 0 }: Delivery): Finding[] {
  const explanation = `The file has ${others} more ${others === 1 ? 'delivery' : 'deliveries'}. Only the first is checked.`;
  return [
    ...(others === 0
      ? []
      : [finding('capture', 'Delivery in the file', 'works', { value: 'the first', explanation })]),
    ...(rebuilt === undefined
      ? []
      : [finding('body', 'Body in the file', 'unknown', { explanation: rebuilt })]),
  ];
}

function checkAge({ now, isLive }: DiagnosisInput, timestamp: number): Finding {
  const seconds = Math.round(now() / 1000 - timestamp);
  const ahead = seconds < 0;
  const value = `${duration(Math.abs(seconds) * 1000)} ${ahead ? 'ahead' : 'ago'}`;
  const tolerance = LIMITS.signatureToleranceSeconds;
  const title = 'Time of the signature';
  if (Math.abs(seconds) <= tolerance) return finding('age', title, 'works', { value });
  const explanation = isLive
    ? `It was signed more than ${tolerance} s from this machine's clock, so the connector refuses it. Set this machine's clock, or ask the service to set its own.`
    : `That doesn't matter for a captured delivery. One that arrived so ${ahead ? 'early' : 'late'} would be refused: the tolerance is ${tolerance} s.`;
  return finding('age', title, isLive ? 'fails' : 'works', { value, explanation });
}
