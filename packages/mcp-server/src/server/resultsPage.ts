import * as apps from '@modelcontextprotocol/ext-apps/server';
import { CLIENT_CAPABILITIES_META_KEY, type McpServer } from '@modelcontextprotocol/server';
import type { Tool } from '../tools/Tool.ts';

const PAGE_URI = 'ui://qr-service/results.html';

/** Whether the client that sent a message shows pages of servers (MCP Apps). Requests that open a session say so. */
export function showsPages(message: unknown): boolean {
  type Capabilities = Parameters<typeof apps.getUiCapability>[0];
  type Params = { capabilities?: Capabilities; _meta?: Record<string, Capabilities> };
  const { params } = (message ?? {}) as { params?: Params };
  const capabilities = params?._meta?.[CLIENT_CAPABILITIES_META_KEY] ?? params?.capabilities;
  const types: unknown = apps.getUiCapability(capabilities)?.mimeTypes;
  return Array.isArray(types) && types.includes(apps.RESOURCE_MIME_TYPE);
}

/** Lets clients read the page, which loads nothing from anywhere. */
export function registerPage(server: McpServer, html: string): void {
  const _meta = { ui: { csp: {}, prefersBorder: true } };
  server.server.registerCapabilities({ resources: { listChanged: false } });
  apps.registerAppResource(server, 'results', PAGE_URI, { title: 'QR Codes', _meta }, () => ({
    contents: [{ uri: PAGE_URI, mimeType: apps.RESOURCE_MIME_TYPE, text: html, _meta }],
  }));
}

/** How a tool differs for clients that show pages. */
export function describePage({ description, page }: Tool): { description?: string; _meta?: { ui: object } } {
  if (page === undefined) return {};
  if (page === 'calls') return { _meta: { ui: { visibility: ['app'] } } };
  const shown = `The user sees ${page} as a page in the chat.`;
  return { description: `${description} ${shown}`, _meta: { ui: { resourceUri: PAGE_URI } } };
}
