import { STATUS_CODES } from 'node:http';

/** A failure as a page of HTML, as proxies send it. */
export function failurePage(status: number): string {
  return `<!DOCTYPE html><title>${status}</title><h1>${statusTitle(status)}</h1>`;
}

/** The standard text of a status. */
export function statusTitle(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}
