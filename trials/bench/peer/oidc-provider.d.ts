/** What the bench uses of oidc-provider, which brings no types. */
declare module 'oidc-provider' {
  import type { Server } from 'node:http';

  interface Model {
    save(ttl?: number): Promise<string>;
  }
  interface GrantModel extends Model {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
  }
  interface SessionModel extends Model {
    readonly jti: string;
    loginAccount(facts: { accountId: string }): void;
    ensureClientContainer(clientId: string): void;
    grantIdFor(clientId: string, grantId: string): void;
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    proxy: boolean;
    listen(port: number, host: string, listening: () => void): Server;
    readonly Client: { find(clientId: string): Promise<object> };
    readonly Grant: new (
      facts: object,
    ) => GrantModel;
    readonly Session: new () => SessionModel;
    readonly RefreshToken: new (
      facts: object,
    ) => Model;
    readonly AccessToken: new (
      facts: object,
    ) => Model;
    readonly DeviceCode: new (
      facts: object,
    ) => Model;
  }
}
