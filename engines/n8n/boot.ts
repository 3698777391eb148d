import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';
import type { RegexEngine } from 'n8n-workflow';
import { LoggerProxy, setSafeRegexEngine } from './n8nWorkflow.ts';

/** Receives the log entries of n8n and its nodes. */
export type OnLog = (entry: {
  level: 'error' | 'warn' | 'info' | 'debug';
  message: string;
  metadata?: unknown;
}) => void;

/** n8n's regular expressions, without its time limit of 250 ms, which they exceed on a busy machine. */
const REGEX_ENGINE: RegexEngine = {
  exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
  test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
  replace: (pattern, input, flags, replacement) => input.replace(new RegExp(pattern, flags), replacement),
  matchAll: (pattern, input, flags = '') => [
    ...input.matchAll(new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`)),
  ],
  split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
};

let listener: OnLog | undefined;
let booted = false;
const settings = { n8nFolder: '', instanceId: 'in-process' };

/**
 * Registers the services that n8n-core resolves from its container. They are global to the process, so
 * only the last engine's `onLog` is called. Nothing is written to disk: binary data stays in memory.
 */
export function bootN8n(onLog: OnLog | undefined): void {
  listener = onLog;
  if (booted) return;
  booted = true;
  const write =
    (level: Parameters<OnLog>[0]['level']) =>
    (message: string, metadata?: unknown): void =>
      listener?.({ level, message, metadata });
  const logger = {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    scoped: () => logger,
  };
  Container.set(Logger, logger as unknown as Logger);
  LoggerProxy.init(logger);
  setSafeRegexEngine(REGEX_ENGINE);
  const placeholder = 'in-process';
  Object.assign(settings, { encryptionKey: placeholder, hmacSignatureSecret: placeholder });
  Container.set(InstanceSettings, settings as unknown as InstanceSettings);
}

/** Makes all engines of the process the n8n instance with this ID, until the next call. */
export function useInstance(instanceId: string): void {
  settings.instanceId = instanceId;
}
