import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';
import { LoggerProxy } from './n8nWorkflow.ts';

/** What nodes and n8n write to the log. */
export type OnLog = (entry: {
  level: 'error' | 'warn' | 'info' | 'debug';
  message: string;
  metadata?: unknown;
}) => void;

let listener: OnLog | undefined;
let booted = false;

/**
 * Gives n8n-core the services that it takes from its container. They belong to the process, so that the
 * last engine's log listener is the one that hears. Nothing is written to disk: binary data stays in memory.
 */
export function bootCore(onLog: OnLog | undefined): void {
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
  const placeholder = 'in-process';
  const settings = {
    n8nFolder: '',
    instanceId: placeholder,
    encryptionKey: placeholder,
    hmacSignatureSecret: placeholder,
  };
  Container.set(InstanceSettings, settings as unknown as InstanceSettings);
}
