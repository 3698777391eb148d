/** Describes the action node and its trigger: n8n lists them as one and shows the trigger's description for both. */
export const NODE_DESCRIPTION =
  'Create QR codes, update their destinations, download images and start workflows on QR code events';
