export { createClient, createClientFor, readCredential } from '../client.ts';
