import {
  isApiError,
  isTransportError,
  type ErrorCode,
  type ImageFormat,
  type QrCode,
  type QrServiceClient,
  type Scope,
} from '@qr-service/core';
import { describeError, errorText, showText, type ErrorWords } from '@qr-service/core/connector';
import {
  isInBounds,
  isShapeName,
  MISSING_PARTS,
  type ServiceShape,
  type WireShape,
} from '@qr-service/core/shape';
import { areaOf, QUESTIONS, type FindingId, type Question } from '../findings/catalog.ts';
import type { Finding, Verdict } from '../findings/Finding.ts';
import { failureOf, Hanging, type Connection } from '../http/Connection.ts';
import { isSuccess, type Exchange, type ProbeRequest } from '../http/Exchange.ts';
import { toFixedResponse } from '../http/fixedResponse.ts';
import { readWithCore } from '../http/readWithCore.ts';
import { describeExchange, redactor, withoutNames } from '../http/redact.ts';
import { bodyForm } from './listForm.ts';

/** A check's answer to one question. */
interface Answer {
  verdict: Verdict;
  value?: string | undefined;
  explanation?: string | undefined;
  /** The responses that show it. */
  from?: readonly (Exchange | undefined)[];
}

/** What checks know from each other. */
export interface Known {
  /** Scopes of the key, if the service names them. */
  scopes?: readonly string[];
  /** Codes of the first page, in the service's order. */
  codes: readonly QrCode[];
  /** Codes that the probe created, oldest first. */
  written: QrCode[];
}

type Parts = Omit<ServiceShape, 'format' | 'version' | 'wireShape' | 'responses'>;
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Ends a check: its other questions stay open, for this reason. */
export class CheckEnded extends Error {}

/** A request has no response that can be read, whatever the service did. */
export class NoResponse extends CheckEnded {}

/** A request wasn't sent, as its endpoint hangs. */
export class NotSent extends NoResponse {}

const WORDS: ErrorWords = { credential: 'options', rerun: 'run the probe again' };

/** What all checks share: the connection, the answers and the shape. */
export class Probe {
  readonly connection: Connection;
  /** Whether codes and subscriptions may be created. */
  readonly write: boolean;
  /** Start of the names of everything that the probe creates. */
  readonly marker: string;
  readonly known: Known = { codes: [], written: [] };
  readonly wireShape: Mutable<WireShape> = {};
  readonly shape: Mutable<Parts> = {};
  readonly #responses: NonNullable<ServiceShape['responses']>[number][] = [];
  readonly #answers = new Map<FindingId, Answer>();

  constructor(connection: Connection, options: { write: boolean; marker: string }) {
    this.connection = connection;
    this.write = options.write;
    this.marker = options.marker;
  }

  get now(): () => number {
    return this.connection.now;
  }

  get responses(): readonly NonNullable<ServiceShape['responses']>[number][] {
    return this.#responses;
  }

  /** Answers a question. The last answer counts. */
  answer(id: FindingId, answer: Answer): void {
    this.#answers.set(id, answer);
  }

  answerTo(id: FindingId): Answer | undefined {
    return this.#answers.get(id);
  }

  /**
   * Sends a request. See `Connection.send`. Without a response, the question that it is about is answered with the error,
   * unless an earlier request already has answered it.
   * @throws NoResponse
   */
  async send(request: ProbeRequest): Promise<Exchange> {
    try {
      return await this.connection.send(request);
    } catch (error) {
      const isHanging = error instanceof Hanging;
      if (!isHanging && (!isTransportError(error) || error.kind === 'aborted')) throw error;
      const explanation = isHanging ? error.message : this.explain(error);
      const id = questionOf(request);
      const isKnown = this.#answers.has(id);
      if (!isKnown) this.answer(id, { verdict: 'fails', value: 'no usable response', explanation });
      throw new (isHanging ? NotSent : NoResponse)(isKnown ? explanation : dependsOn(id));
    }
  }

  /** Advice to run the probe again. @param when for example `with a code` */
  rerun(when: string): string {
    return `Run the probe again ${when}${this.write ? '' : ', or with --write, which creates codes'}.`;
  }

  /** Sends a GET request. */
  get(path: string, query: Record<string, string | number> = {}): Promise<Exchange> {
    return this.send({ method: 'GET', path, query });
  }

  /**
   * Reads responses with the connector's own client.
   * @returns what the client returns or throws
   */
  async read<Result>(
    exchanges: readonly Pick<Exchange, 'status' | 'headers' | 'bytes'>[],
    call: (client: QrServiceClient) => Promise<Result>,
  ): Promise<{ result: Result; error?: undefined } | { error: unknown; result?: undefined }> {
    try {
      return { result: await call(readWithCore(exchanges, this.now)) };
    } catch (error) {
      return { error };
    }
  }

  /** An error in the words of the connector: what happened, and what to do. Contains no name or address of a code. */
  explain(error: unknown): string {
    const text = redactor(this.connection.secrets)(errorText(describeError(error, WORDS)));
    if (!isApiError(error)) return text;
    return withoutNames(
      text,
      this.known.codes.map(({ name }) => String(name as unknown)),
    );
  }

  /**
   * Ends the check unless the request succeeded: the question is then answered with the error.
   * @throws CheckEnded
   */
  async requireSuccess(id: FindingId, exchange: Exchange): Promise<void> {
    if (isSuccess(exchange)) return;
    const { error } = await this.read([exchange], (client) => client.me());
    const scope =
      isApiError(error) && error.code === 'insufficient_scope' ? QUESTIONS_OF[id].scope : undefined;
    if (scope !== undefined) throw new CheckEnded(lacksScope(scope));
    this.fail(id, error, exchange);
  }

  /**
   * Answers a question with an error of the connector, keeps the response for the emulator, and ends the check.
   * @throws CheckEnded
   */
  fail(id: FindingId, error: unknown, exchange: Exchange): never {
    const explanation = this.explain(error);
    this.answer(id, { verdict: 'fails', value: `status ${exchange.status}`, explanation, from: [exchange] });
    this.repeat(exchange);
    throw new CheckEnded(dependsOn(id));
  }

  /** Has the emulator repeat a response, for all requests to the endpoint, or for those with these query parameters. */
  repeat(exchange: Exchange, query?: Readonly<Record<string, string>>): void {
    if (isInBounds('status', exchange.status)) this.#responses.push(toFixedResponse(exchange, query));
  }

  /** Notes for the emulator that the service ignores a query parameter. */
  ignores(path: string, name: string): void {
    const { ignoredParameters: known = {} } = this.shape;
    this.shape.ignoredParameters = { ...known, [path]: [...(known[path] ?? []), name] };
  }

  /** Notes for the emulator what is missing in all responses. */
  lacks(...parts: readonly string[]): void {
    const { missing = [] } = this.shape;
    const known = MISSING_PARTS.filter((part) => parts.includes(part) && !missing.includes(part));
    if (known.length > 0) this.shape.missing = [...missing, ...known];
  }

  /** Notes for the emulator an error that isn't as the API text says. */
  noteError(code: ErrorCode, { status, json }: Exchange): void {
    const form = bodyForm(json);
    if (status < 400 || form === 'html' || !isInBounds('status', status)) return;
    const body = json as { code: string; error: { code: string } };
    const own = form === 'other' ? null : form === 'nested' ? body.error.code : body.code;
    if (own === null || isShapeName(own))
      this.shape.errors = { ...this.shape.errors, [code]: { status, code: own } };
  }

  /** The connector's error for a response; undefined if it isn't an error. */
  failureOf(exchange: Exchange) {
    return failureOf(exchange, this.now);
  }

  /** The findings' details for `--verbose`. */
  describe(exchanges: readonly (Exchange | undefined)[]): string[] {
    const redact = redactor(this.connection.secrets);
    return exchanges.flatMap((exchange) =>
      exchange === undefined ? [] : [describeExchange(exchange, redact)],
    );
  }

  /** An answer as a finding. */
  toFinding(id: FindingId, { verdict, value, explanation, from = [] }: Answer): Finding {
    const redact = redactor(this.connection.secrets);
    const details = this.describe(from);
    return {
      id,
      area: areaOf(id),
      title: QUESTIONS[id].title,
      verdict,
      ...(value !== undefined && { value: showText(redact(value), 120) }),
      ...(explanation !== undefined && { explanation: showText(redact(explanation), 1000) }),
      ...(details.length > 0 && { details }),
    };
  }
}

const QUESTIONS_OF: Record<FindingId, Question> = QUESTIONS;

/** Why a question is open if the key lacks a scope. */
export function lacksScope(scope: Scope): string {
  return `The key lacks the scope ${scope}. Run the probe again with a key that has it.`;
}

/** Why a question is open if the answer to another one is missing. */
function dependsOn(id: FindingId): string {
  return `"${QUESTIONS[id].title}" failed, and this depends on it.`;
}

/** The question that a request without a response answers. */
function questionOf({ method, path, query, otherKey }: ProbeRequest): FindingId {
  if (path === '/me') return otherKey === undefined ? 'connection.reach' : 'errors.unauthorized';
  if (path === '/scans') return 'scans.list';
  if (path === '/webhooks') return 'webhooks.subscription';
  if (path === '/qr') return method === 'POST' ? 'codes.create' : 'lists.key';
  if (path.endsWith('/publish')) return 'codes.publish';
  if (path.endsWith('/destination')) return 'codes.destination';
  return path.endsWith('/image') ? `images.${query?.['format'] as ImageFormat}` : 'codes.record';
}
