import type { PackageDirectoryLoader } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  ICredentials,
  IHttpRequestOptions,
  INodeCredentialsDetails,
  INodeProperties,
  IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { ICredentialsHelper, NodeHelpers, UnexpectedError } from './n8nWorkflow.ts';

/** In-memory credentials, one per type. Defaults and authentication come from the credential types. */
export class CredentialsHelper extends ICredentialsHelper {
  readonly #loader: PackageDirectoryLoader;
  readonly #credentials: Record<string, ICredentialDataDecryptedObject>;

  constructor(loader: PackageDirectoryLoader, credentials: Record<string, ICredentialDataDecryptedObject>) {
    super();
    this.#loader = loader;
    this.#credentials = credentials;
  }

  /** References for the types that have a credential, as workflow nodes hold them. */
  references(types: readonly string[]): Record<string, INodeCredentialsDetails> {
    return Object.fromEntries(
      types.filter((type) => type in this.#credentials).map((type) => [type, { id: type, name: type }]),
    );
  }

  getDecrypted(
    _additionalData: IWorkflowExecuteAdditionalData,
    _nodeCredentials: INodeCredentialsDetails,
    type: string,
  ): Promise<ICredentialDataDecryptedObject> {
    const data = this.#credentials[type];
    if (data === undefined)
      return Promise.reject(new UnexpectedError(`There is no credential of type ${type}.`));
    const properties = this.getCredentialsProperties(type);
    const withDefaults = NodeHelpers.getNodeParameters(
      properties,
      data as Parameters<typeof NodeHelpers.getNodeParameters>[1],
      true,
      false,
      null,
      null,
    );
    // n8n evaluates expressions later: a failed one results in undefined.
    const failed = Object.fromEntries(
      Object.entries<unknown>(data).filter(([, value]) => value === undefined),
    );
    return Promise.resolve({ ...withDefaults, ...failed } as ICredentialDataDecryptedObject);
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    type: string,
    requestOptions: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> {
    const { authenticate } = this.#loader.getCredential(type).type;
    if (typeof authenticate !== 'function')
      throw new UnexpectedError(`The credential type ${type} has no authenticate function.`);
    return authenticate(credentials, requestOptions);
  }

  getCredentialsProperties(type: string): INodeProperties[] {
    return this.#loader.getCredential(type).type.properties;
  }

  getParentTypes(): string[] {
    return [];
  }

  isCredentialUsableByNode(): boolean {
    return true;
  }

  preAuthentication(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  runPreAuthentication(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  getCredentials(_details: INodeCredentialsDetails, type: string): Promise<ICredentials> {
    return Promise.reject(new UnexpectedError(`Credentials of type ${type} are not stored.`));
  }

  async updateCredentials(): Promise<void> {}

  async updateCredentialsOauthTokenData(): Promise<void> {}
}
