import { setTimeout as delay } from 'node:timers/promises';
import { QrServiceClient, type Sleep, type Transport } from '@qr-service/core';
import type { Connection } from '@qr-service/core/connector';
import { undiciTransport } from '@qr-service/core/undici';
import { AREAS, JOBS, type Job } from './checks/jobs.ts';
import { failed, type Probe } from './checks/Probe.ts';
import { unknown, type Finding, type Outcome } from './findings/Finding.ts';
import { Ledger } from './http/Ledger.ts';
import { Recorder, REQUEST_MS } from './http/Recorder.ts';
import type { Report } from './report/Report.ts';
import type { Receiver } from './webhook/Receiver.ts';

/** Options of a probe. */
export interface ProbeOptions {
  connection: Connection;
  /** Whether codes and a subscription may be created. */
  write?: boolean;
  /** Where to receive a delivery. */
  webhook?: { url: string; receiver: Receiver } | undefined;
  /** The `User-Agent` header. */
  userAgent?: string;
  /** Stops the probe: what it created is removed, and the report contains what is known by then. */
  signal?: AbortSignal;
  /** Notes what is created. */
  ledger?: Ledger;
  /** Called before each job with its title. */
  onProgress?: (title: string) => void;
  transport?: Transport;
  /** The clock, in milliseconds since the epoch. */
  now?: () => number;
  sleep?: Sleep;
}

/** A report within a minute, with some time left to unsubscribe. */
const TOTAL_MS = 55_000;
/** As the connectors retry, but for less long. */
const RETRY = { maxAttempts: 3, budgetMs: 12_000, rateLimitMs: 20_000 };
/** So that unsubscribing may hang before the time is over. */
const UNSUBSCRIBE_MS = REQUEST_MS + 1000;
const STOPPED = 'The probe was stopped before this.';

const waitFor: Sleep = (ms, signal) => delay(ms, undefined, signal && { signal });

/**
 * Does the jobs of the connectors with their own client, and reports which work. Read-only unless `write` is set.
 * @throws QrServiceError `invalid_input` for an invalid connection; anything about the service is in the report
 */
export async function runProbe(options: ProbeOptions): Promise<Report> {
  const { connection, write = false, webhook, signal, userAgent, onProgress } = options;
  const { transport = undiciTransport(), now = Date.now, sleep = waitFor, ledger = new Ledger() } = options;
  const startedAt = now();
  const { apiKey } = connection;
  const recorder = new Recorder({ transport, apiKey, now, sleep, signal, totalMs: TOTAL_MS });
  const client = new QrServiceClient({
    ...connection,
    transport: recorder.transport,
    retry: RETRY,
    timeoutMs: REQUEST_MS,
    now,
    ...(userAgent !== undefined && { userAgent }),
  });
  const probe: Probe = { client, connection, recorder, ledger, write, webhook, now, known: {} };
  const findings: Finding[] = [];
  let isStopped = false;
  for (const [id, job] of Object.entries(JOBS)) {
    if (id === 'unsubscribe') {
      isStopped = recorder.isStopped;
      recorder.ignoreStop();
      recorder.extend(UNSUBSCRIBE_MS);
    }
    const first = recorder.exchanges.length;
    let outcome = whyNot(id, job, probe, findings);
    if (outcome === undefined) {
      onProgress?.(job.title);
      outcome = await job.check(probe).catch(failed);
      const whyCut = whyOver(id, recorder);
      if (whyCut !== undefined && outcome.verdict !== 'works') outcome = unknown(whyCut);
    }
    const { verdict, value = '', explanation = '' } = outcome;
    findings.push({
      id,
      area: job.area,
      title: job.title,
      verdict,
      isAsked: isAsked(job, probe),
      requests: recorder.exchanges.slice(first).map(({ line }) => line),
      ...(value !== '' && { value: recorder.safe(value, 160) }),
      ...(explanation !== '' && { explanation: recorder.safe(explanation) }),
    });
  }
  return {
    host: new URL(connection.baseUrl).host,
    startedAt: new Date(startedAt).toISOString(),
    durationMs: now() - startedAt,
    wrote: ledger.hasWritten,
    requests: recorder.exchanges.length,
    findings: AREAS.flatMap((area) => findings.filter((finding) => finding.area === area)),
    leftBehind: ledger.left,
    isStopped,
  };
}

/** Whether the options ask for a job, and for the job that it comes after. */
function isAsked({ needs, after = '' }: Job, probe: Probe): boolean {
  if (needs === 'write' && !probe.write) return false;
  if (needs === 'webhook' && probe.webhook === undefined) return false;
  const earlier = JOBS[after];
  return earlier === undefined || isAsked(earlier, probe);
}

/** Why the probe is over, if that ends a job; undefined if it doesn't. */
function whyOver(id: string, recorder: Recorder): string | undefined {
  if (recorder.isStopped) return STOPPED;
  if (recorder.leftMs > 0 || id === 'deliver') return undefined;
  return `The probe ran out of time after ${recorder.exchanges.length} requests.`;
}

/** Why a job can't be done; undefined if it can. */
function whyNot(id: string, job: Job, probe: Probe, findings: readonly Finding[]): Outcome | undefined {
  const { needs, after = 'connection' } = job;
  if (!isAsked(job, probe))
    return unknown(
      needs === 'webhook' ? 'A delivery needs --write and --webhook.' : 'Creating needs --write.',
    );
  const why = whyOver(id, probe.recorder);
  if (why !== undefined) return unknown(why);
  const earlier = findings.find((finding) => finding.id === after);
  if (earlier?.verdict !== 'fails' && earlier?.verdict !== 'unknown') return undefined;
  return unknown(`This depends on "${earlier.title}", which wasn't confirmed to work.`);
}
