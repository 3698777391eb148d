import { STATUS_CODES } from 'node:http';

/** An HTML error page like those of proxies. */
export function failurePage(status: number): string {
  return `<!DOCTYPE html><title>${status}</title><h1>${statusTitle(status)}</h1>`;
}

/** The standard reason phrase of a status. */
export function statusTitle(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}
