import { checkWebhookUrl } from './checkWebhookUrl.ts';

describe('checkWebhookUrl', () => {
  it.each([
    'https://hooks.example.com/a?b=c',
    'https://93.184.216.34/',
    'https://[2606:2800:220:1::1]/',
    'https://172.32.0.1/',
  ])('accepts %s', (url) => expect(checkWebhookUrl(url)).toBeUndefined());

  it.each([
    'no url',
    'http://hooks.example.com/',
    'https://localhost/',
    'https://n8n/',
    'https://n8n.local/',
    'https://printer.localhost./',
    'https://127.0.0.1:5678/',
    'https://2130706433/',
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://169.254.169.254/',
    'https://172.16.0.1/',
    'https://192.168.1.2/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
  ])('refuses %s with a reason', (url) => expect(checkWebhookUrl(url)).toMatch(/\.$/));
});
