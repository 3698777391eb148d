import { omitUndefined } from '@qr-service/core/connector';
import type { ServiceShape } from '@qr-service/core/shape';
import { parseArgs } from 'node:util';
import type { EmulatorOptions } from '../config/options.ts';
import { DIMENSIONS, type Dimension } from '../config/scanDimensions.ts';
import type { Seed } from '../config/seed.ts';
import { readSeed } from '../config/readSeed.ts';
import { readShape } from '../config/readShape.ts';
import { DELIVERY_FAULTS, type DeliveryFaultKind } from '../faults/deliveryFaults.ts';
import { FAULT_PRESETS, type FaultPreset } from '../faults/requestFaultPresets.ts';
import { readJsonFile } from './jsonFile.ts';
import { parseWireShape } from './parseWireShape.ts';
import { UsageError } from './support/UsageError.ts';

/** The parsed command line. */
export type Command =
  | { kind: 'help' }
  | { kind: 'version' }
  | {
      kind: 'start';
      options: EmulatorOptions;
      /** Request faults that apply until they are cleared. */
      faults: readonly FaultPreset[];
      /** The same for deliveries. */
      deliveryFaults: readonly DeliveryFaultKind[];
    };

/**
 * Reads the command line.
 * @throws UsageError
 */
export function readArguments(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  const values = parse(args);
  if (values.help === true) return { kind: 'help' };
  if (values.version === true) return { kind: 'version' };
  const apiKey = values['api-key'] ?? env['QR_SERVICE_API_KEY'];
  return {
    kind: 'start',
    options: omitUndefined({
      port: read(values.port, readPort),
      host: values.host,
      db: values.db,
      connectTo: read(values['connect-to'], readConnectToRules),
      redirectUrl: values['redirect-url'],
      rateLimit: read(values['rate-limit'], readRateLimit),
      shape: read(values.shape, (file) => readJsonFile('shape', file, readShape) as ServiceShape),
      seed: read(values.seed, (file) => readJsonFile('seed', file, readSeed) as Seed),
      idSeed: values['id-seed'],
      wireShape: read(values['wire-shape'], (shapes) => parseWireShape(shapes.join())),
      allowedDimensions: read(values['scan-dimensions'], readDimensions),
      lowScoreNotices: read(values['low-score-notices'], readSwitch),
      visibleAfterMs: read(values['visible-after'], readMilliseconds('visible-after')),
      updatedAtStepMs: read(values['updated-at-step'], readMilliseconds('updated-at-step')),
      apiKey: apiKey === '' ? undefined : apiKey,
    }),
    faults: readNames('fault', values.fault, FAULT_PRESETS),
    deliveryFaults: readNames('delivery-fault', values['delivery-fault'], DELIVERY_FAULTS),
  };
}

function read<Text, Value>(given: Text | undefined, parse: (given: Text) => Value): Value | undefined {
  return given === undefined ? undefined : parse(given);
}

function parse(args: readonly string[]) {
  const values = parseOptions(args);
  // Usually an unset shell variable. An empty host would listen on the whole network; an empty file would store nothing.
  const empty = Object.entries(values).find(
    ([name, value]) => name !== 'api-key' && [value].flat().includes(''),
  );
  if (empty !== undefined) throw new UsageError(`--${empty[0]} must not be empty. See --help.`);
  return values;
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', short: 'p' },
        host: { type: 'string' },
        db: { type: 'string' },
        'connect-to': { type: 'string', multiple: true },
        'redirect-url': { type: 'string' },
        'rate-limit': { type: 'string' },
        'api-key': { type: 'string' },
        seed: { type: 'string' },
        shape: { type: 'string' },
        'id-seed': { type: 'string' },
        'wire-shape': { type: 'string', multiple: true },
        'scan-dimensions': { type: 'string' },
        'low-score-notices': { type: 'string' },
        'visible-after': { type: 'string' },
        'updated-at-step': { type: 'string' },
        fault: { type: 'string', multiple: true },
        'delivery-fault': { type: 'string', multiple: true },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    }).values;
  } catch (error) {
    const [sentence = ''] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${sentence.replace(/\.$/, '')}. See --help.`, { cause: error });
  }
}

function readPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : NaN;
  if (!(port <= 65535)) throw new UsageError(`--port must be a number from 0 to 65535, not ${value}.`);
  return port;
}

function readConnectToRules(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    values.map((value) => {
      const equals = value.indexOf('=');
      if (equals < 1) throw new UsageError(`--connect-to must be host=address:port, not ${value}.`);
      return [value.slice(0, equals), value.slice(equals + 1)];
    }),
  );
}

function readRateLimit(value: string): { limit: number; windowSeconds: number } {
  const match = /^([1-9]\d{0,8})\/([1-9]\d{0,5})$/.exec(value);
  if (match === null)
    throw new UsageError(`--rate-limit must be requests/seconds, for example 600/10, not ${value}.`);
  return { limit: Number(match[1]), windowSeconds: Number(match[2]) };
}

function readDimensions(text: string): Dimension[] {
  const names = text === 'none' ? [] : text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !DIMENSIONS.some((known) => known === name));
  if (unknown !== undefined)
    throw new UsageError(`--scan-dimensions must be none or some of ${DIMENSIONS.join()}, not ${unknown}.`);
  return names as Dimension[];
}

function readSwitch(text: string): boolean {
  if (!['on', 'off'].includes(text))
    throw new UsageError(`--low-score-notices must be on or off, not ${text}.`);
  return text === 'on';
}

function readMilliseconds(option: string): (text: string) => number {
  return (text) => {
    if (!/^\d{1,9}$/.test(text))
      throw new UsageError(`--${option} must be a number of milliseconds, not ${text}.`);
    return Number(text);
  };
}

function readNames<Name extends string>(
  option: string,
  names: readonly string[] = [],
  table: Readonly<Record<Name, unknown>>,
): Name[] {
  const unknown = names.find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined) throw new UsageError(`Unknown --${option} ${unknown}. See --help.`);
  return names as Name[];
}
