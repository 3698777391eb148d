import { STATUS_CODES } from 'node:http';

/** An HTML error page like those of proxies. @param bytes its size, if it matters */
export function failurePage(status: number, bytes?: number): string {
  const page = `<!DOCTYPE html><title>${status}</title><h1>${statusTitle(status)}</h1>`;
  return bytes === undefined ? page : page.padEnd(bytes).slice(0, bytes);
}

/** The standard reason phrase of a status. */
export function statusTitle(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}
