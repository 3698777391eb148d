/** What the SDK needs from its platform, without ajv (50 kB packed): it would validate only forms, which no tool sends. */
export { default as process } from 'node:process';
export class DefaultJsonSchemaValidator {}
