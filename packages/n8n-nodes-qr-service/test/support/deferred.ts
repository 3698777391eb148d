/** A promise settled by the test. */
export interface Deferred<Value> {
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (error: Error) => void;
}

export function deferred<Value = void>(): Deferred<Value> {
  const made = {} as Deferred<Value>;
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}
