import { isQrServiceError, type AuthHeader, type Scope, type Sleep, type Transport } from '@qr-service/core';
import { readTime } from '@qr-service/core/connector';
import { nodeTransport } from '@qr-service/core/node';
import { SHAPE_FORMAT, SHAPE_VERSION, type ServiceShape } from '@qr-service/core/shape';
import { checkAccount } from './checks/account.ts';
import { checkCodes } from './checks/codes.ts';
import { checkConnection, NoAccess } from './checks/connection.ts';
import { checkErrors } from './checks/errors.ts';
import { checkImages } from './checks/images.ts';
import { checkLimits } from './checks/limits.ts';
import { checkLists } from './checks/lists/checkLists.ts';
import { CheckEnded, lacksScope, NoResponse, Probe } from './checks/Probe.ts';
import { checkScans } from './checks/scans.ts';
import { checkWebhooks } from './checks/webhooks.ts';
import { checkWrites } from './checks/writes/checkWrites.ts';
import { FINDING_IDS, OPEN_WRITE, QUESTIONS, type FindingId, type Question } from './findings/catalog.ts';
import type { Finding } from './findings/Finding.ts';
import type { ProbeReport } from './findings/ProbeReport.ts';
import { Connection, RateLimitedError } from './http/Connection.ts';
import { Ledger } from './http/Ledger.ts';
import { mapTexts, redactor } from './http/redact.ts';

/** Options of a probe. */
export interface ProbeOptions {
  /** Base URL of the service, with or without the API path. */
  baseUrl: string;
  apiKey: string;
  /**
   * Header that contains the key.
   * @default 'authorization'
   */
  authHeader?: AuthHeader | undefined;
  /**
   * Prefix of the service's own headers: `X-<prefix>-…`.
   * @default 'Service'
   */
  headerPrefix?: string | undefined;
  /**
   * Whether codes and webhook subscriptions may be created.
   * @default false
   */
  write?: boolean;
  /** The `User-Agent` header. */
  userAgent?: string | undefined;
  /** Called before each step. */
  onProgress?: (progress: ProbeProgress) => void;
  /** Stops the probe: what it created is removed, and the report contains what is known by then. */
  signal?: AbortSignal | undefined;
  /**
   * Sends the requests.
   * @default Node's HTTP client
   */
  transport?: Transport;
  /**
   * Notes what is created, and what nothing may show.
   * @default a new one
   */
  ledger?: Ledger;
  /**
   * The clock, in milliseconds since the epoch.
   * @default Date.now
   */
  now?: () => number;
  /** @default the transport's */
  sleep?: Sleep;
}

/** How far a probe is. */
interface ProbeProgress {
  /** Steps that are done. */
  done: number;
  /** All steps. */
  total: number;
  /** What is done now, for example `Looking at lists`. */
  title: string;
}

/** One step: its title, the areas that it answers, and its work. */
interface Step {
  title: string;
  answers: readonly FindingId[];
  run: (probe: Probe) => Promise<void> | void;
  /** Scopes that it needs, if its questions don't all say it. */
  write?: true;
}

const idsOf = (...prefixes: string[]) =>
  FINDING_IDS.filter((id) => prefixes.some((prefix) => id === prefix || id.startsWith(`${prefix}.`)));

const WRITES = idsOf(
  'codes.create',
  'codes.name',
  'codes.publish',
  'codes.destination',
  'codes.redirect',
  'codes.retargeted',
  'lists.visibility',
  'idempotency',
);

/** The steps after the connection. What is created comes first, so that the others have something to look at. */
const STEPS: readonly Step[] = [
  { title: 'Creating codes', answers: WRITES, run: checkWrites, write: true },
  { title: 'Looking at lists', answers: idsOf('lists'), run: checkLists },
  { title: 'Looking at codes', answers: idsOf('codes'), run: checkCodes },
  { title: 'Looking at scans', answers: idsOf('scans'), run: checkScans },
  { title: 'Looking at images', answers: idsOf('images'), run: checkImages },
  { title: 'Subscribing and unsubscribing', answers: idsOf('webhooks'), run: checkWebhooks, write: true },
  { title: 'Looking at errors', answers: idsOf('errors'), run: checkErrors },
  { title: 'Looking at rate limits', answers: idsOf('limits'), run: checkLimits },
];
/** The service's clock may differ. */
const LOST_MARGIN_MS = 10 * 60 * 1000;
const LATER = 'Run the probe again later.';
const STOPPED = 'The probe was stopped before this.';

/**
 * Finds out how a service fills in what the API text leaves open, where it departs from it, and whether the connector
 * still works: the connector's own client reads each response. Read-only unless `write` is set.
 * @throws QrServiceError `invalid_input` for an invalid option; anything about the service is in the report
 */
export async function runProbe(options: ProbeOptions): Promise<ProbeReport> {
  const node = nodeTransport();
  const {
    transport = node,
    now = Date.now,
    write = false,
    signal,
    onProgress,
    ledger = new Ledger(),
  } = options;
  const sleep = options.sleep ?? transport.sleep ?? node.sleep;
  const startedAt = now();
  const marker = `qr-service-probe ${new Date(startedAt).toISOString().slice(5, 16).replace('T', ' ')}`;
  const connection = new Connection({ ...options, transport, ledger, now, sleep: sleep as Sleep });
  const probe = new Probe(connection, { write, marker });
  const reasons = new Map<FindingId, string>();
  const steps = STEPS.filter((step) => write || step.write !== true);
  const progress = (done: number, title: string) => onProgress?.({ done, total: steps.length + 1, title });
  let ended: string | undefined;

  progress(0, 'Connecting');
  try {
    const me = await checkConnection(probe);
    await attempt(probe, idsOf('account'), reasons, signal, () => checkAccount(probe, me));
    for (const [index, step] of steps.entries()) {
      progress(index + 1, step.title);
      await attempt(probe, step.answers, reasons, signal, () => step.run(probe));
    }
    progress(steps.length + 1, 'Done');
  } catch (error) {
    ended = endOf(error, signal);
    if (ended === undefined) throw error;
    if (error instanceof RateLimitedError && error.status !== undefined)
      probe.answer('limits.headers', {
        verdict: 'fails',
        value: `refused with ${error.status}`,
        explanation: `${error.message} Steps would be refused, too. ${LATER}`,
      });
  }
  await findCodes(probe, startedAt);
  const findings = FINDING_IDS.map((id): Finding => {
    const answer = probe.answerTo(id) ?? {
      verdict: 'unknown' as const,
      explanation: reasonFor(probe, id, reasons, ended),
    };
    return probe.toFinding(id, answer);
  });
  const isStopped = signal?.aborted === true;
  const redact = redactor(ledger.secrets);
  return {
    host: connection.host,
    startedAt: new Date(startedAt).toISOString(),
    durationMs: now() - startedAt,
    wrote: ledger.hasWritten,
    requests: ledger.requests,
    findings,
    shape: mapTexts(shapeOf(probe), redact),
    leftBehind: ledger.left,
    ...(isStopped && { stopped: true as const }),
  };
}

/** Runs a step. What it couldn't find out stays open, with the reason. */
async function attempt(
  probe: Probe,
  answers: readonly FindingId[],
  reasons: Map<FindingId, string>,
  signal: AbortSignal | undefined,
  run: () => Promise<void> | void,
): Promise<void> {
  const questions: Record<FindingId, Question> = QUESTIONS;
  const { scopes } = probe.known;
  const needed = answers.map((id) => questions[id].scope);
  const isLacking = (scope: Scope | undefined) =>
    scope !== undefined && scopes !== undefined && !scopes.includes(scope);
  // Nothing of this step is possible.
  if (needed.every(isLacking)) return;
  try {
    await run();
  } catch (error) {
    if (error instanceof NoAccess || error instanceof RateLimitedError) throw error;
    if (error instanceof CheckEnded) noteReasons(answers, reasons, error.message);
    else if (signal?.aborted === true) throw error;
    else if (isQrServiceError(error)) noteReasons(answers, reasons, probe.explain(error));
    // Whatever a service sends, the report must say what is known and what was created.
    else noteReasons(answers, reasons, `The probe couldn't handle a response (${String(error)}).`);
  }
}

function noteReasons(answers: readonly FindingId[], reasons: Map<FindingId, string>, reason: string): void {
  for (const id of answers) if (!reasons.has(id)) reasons.set(id, reason);
}

/** Why the probe ended early; undefined for a defect of the probe. */
function endOf(error: unknown, signal: AbortSignal | undefined): string | undefined {
  if (signal?.aborted === true) return STOPPED;
  if (error instanceof NoResponse) return 'The service could not be reached.';
  if (error instanceof NoAccess) return error.message;
  if (error instanceof RateLimitedError) return `${error.message} ${LATER}`;
  return undefined;
}

function reasonFor(
  probe: Probe,
  id: FindingId,
  reasons: ReadonlyMap<FindingId, string>,
  ended: string | undefined,
): string {
  const { write = false, scope }: Question = QUESTIONS[id];
  if (write && !probe.write) return OPEN_WRITE;
  const { scopes } = probe.known;
  if (scope !== undefined && scopes !== undefined && !scopes.includes(scope)) return lacksScope(scope);
  return reasons.get(id) ?? ended ?? 'Another answer is missing that this depends on.';
}

/** Looks for codes that may be left among those that changed since. */
async function findCodes(probe: Probe, startedAt: number): Promise<void> {
  const { ledger } = probe.connection;
  if (!ledger.hasWritten) return;
  const query = { limit: 50, updatedSince: new Date(startedAt - LOST_MARGIN_MS).toISOString() };
  const exchange = await probe.connection
    .sendLast({ method: 'GET', path: '/qr', query })
    .catch(() => undefined);
  if (exchange === undefined) return;
  const { result: page } = await probe.read([exchange], (client) => client.qr.listPage({ limit: 50 }));
  // An earlier run in the same minute gave its codes the same names.
  const times = probe.known.written.map(({ updatedAt }) => readTime(updatedAt) ?? -Infinity);
  const start = times.length === 0 ? -Infinity : Math.min(...times);
  const rows = page?.rows.filter(({ updatedAt }) => (readTime(updatedAt) ?? Infinity) >= start);
  if (ledger.identify(rows ?? []))
    probe.answer('codes.create', {
      verdict: 'fails',
      value: 'created twice',
      explanation: 'The service lists more codes with a name than the probe created.',
      from: [exchange],
    });
}

function shapeOf(probe: Probe): ServiceShape {
  return {
    format: SHAPE_FORMAT,
    version: SHAPE_VERSION,
    wireShape: probe.wireShape,
    ...probe.shape,
    ...(probe.responses.length > 0 && { responses: probe.responses }),
  };
}
