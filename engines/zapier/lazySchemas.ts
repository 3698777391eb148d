import { createRequire } from 'node:module';

interface Validator {
  addSchema(schema: object, id: string): unknown;
  validate(...definition: unknown[]): unknown;
}
const { prototype } = (
  createRequire(import.meta.url)('jsonschema') as { Validator: { prototype: Validator } }
).Validator;

// As it's loaded, each of Zapier's schemas indexes all those below it, which takes longer than most runs. Only
// validation needs it.
const { addSchema, validate } = prototype;
const later = new WeakMap<Validator, Parameters<typeof addSchema>[]>();
prototype.addSchema = function (...schema) {
  later.set(this, [...(later.get(this) ?? []), schema]);
};
prototype.validate = function (...definition) {
  for (const schema of later.get(this) ?? []) addSchema.apply(this, schema);
  later.delete(this);
  return validate.apply(this, definition);
};
