// n8n's checks allow only relative imports in nodes and credentials, so the core is named here alone.
export * from '@qr-service/core';
export * from '@qr-service/core/connector';
export * from '@qr-service/core/webhook';
