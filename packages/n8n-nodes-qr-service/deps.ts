// n8n's checks allow only relative imports in nodes and credentials, so only this file imports the core by name.
export * from '@qr-service/core';
export * from '@qr-service/core/connector';
export * from '@qr-service/core/webhook';
