// What `memberdoor/testing` gives to tests of other projects: its types, which the package holds as they stand here.

/** How the service begins. */
export interface DoorOptions {
  /**
   * The tenants, as a tenant file describes them, or the path of such a file; the example tenant Acme unless given. One
   * without an `issuer` lives at `localhost`, the second at `127.0.0.1`, and others at a name before `.localhost`.
   */
  readonly tenants?: readonly TenantOptions[] | string;
  /** Members of the first tenant, beside those that it has. One may be an address alone. */
  readonly members?: readonly (MemberOptions | string)[];
  /** What the clock says and whether it stands; it goes as the real one unless given. A time lies ahead. */
  readonly clock?: 'frozen' | Date | { readonly to?: Date | string; readonly freeze?: boolean };
}

/** A tenant, with any field of a tenant file: `docs/tenant-files.md` says which there are. */
export interface TenantOptions {
  readonly name?: string;
  /** `http://localhost` or another name of this machine; the port is that of the service. */
  readonly issuer?: string;
  readonly clients?: readonly ClientOptions[];
  readonly members?: readonly (MemberOptions | string)[];
  readonly [field: string]: unknown;
}

/** A client, with any field of a tenant file. */
export interface ClientOptions {
  readonly clientId: string;
  /** Its id unless given. */
  readonly name?: string;
  /** Confidential where it has a secret, public otherwise, unless given. */
  readonly type?: 'public' | 'confidential';
  readonly secret?: string;
  readonly redirectUris?: readonly string[];
  readonly webOrigins?: readonly string[];
  readonly deviceFlow?: boolean;
  readonly [field: string]: unknown;
}

/** A member, with any field of a tenant file. */
export interface MemberOptions {
  readonly email: string;
  /** Made of the address unless given. */
  readonly fullName?: string;
  /** `memberdoor-development` unless given. */
  readonly password?: string;
  readonly [field: string]: unknown;
}

/** What a browser has that is signed in, as `storageState` of Playwright takes it. */
export interface StorageState {
  cookies: {
    name: string;
    value: string;
    domain: string;
    path: string;
    expires: number;
    httpOnly: boolean;
    secure: boolean;
    sameSite: 'Strict' | 'Lax' | 'None';
  }[];
  origins: never[];
}

/** Which tokens a member gets. */
export interface TokenRequest {
  /** The client, by its id. */
  readonly client: string;
  /** `openid profile email offline_access` unless given. */
  readonly scope?: string;
  /** The first of the client's unless given. */
  readonly redirectUri?: string;
  readonly clientSecret?: string;
}

export interface Tokens {
  readonly accessToken: string;
  readonly idToken: string | undefined;
  readonly refreshToken: string | undefined;
  /** s */
  readonly expiresIn: number;
  readonly scope: string | undefined;
}

/** A mail that a member would have got. */
export interface Mail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Its six digits; null where it brings none. */
  readonly code: string | null;
  /** Where its button leads; null where it has none. */
  readonly link: string | null;
  readonly language: string | null;
  readonly sentAt: string;
}

/** What is done to answers: `docs/rehearsal.md` says what each kind is. */
export interface FaultOptions {
  readonly kind: 'delay' | 'drop' | '429' | '500' | 'non_json' | 'slow_down';
  readonly endpoint?: string;
  readonly client?: string;
  readonly member?: string;
  readonly times?: number | 'always';
  readonly seconds?: number;
}

/** The clock that the whole service obeys. */
export interface DoorClock {
  now(): Promise<Date>;
  /** Stops it, at a time that lies ahead if one is given. */
  freeze(to?: Date | string): Promise<Date>;
  /** Lets it go on. */
  unfreeze(): Promise<Date>;
  /** Moves it on: `15m`, `90d`, `1h30m`, or seconds. What comes due meanwhile is done before this resolves. */
  advance(by: string | number): Promise<Date>;
  /** Back to the real time. */
  reset(): Promise<Date>;
}

/** A tenant, and what can be done on it. */
export interface DoorTenant {
  readonly name: string;
  readonly issuer: string;
  /** Signs a member in, in a browser: without a password, and a second factor counts as proven. */
  signIn(member: string): Promise<StorageState>;
  /** Signs a member in, at a client: by code and PKCE. */
  signIn(member: string, tokens: TokenRequest): Promise<Tokens>;
  /** Decides on a TV by the code that it shows. The tenant's first member does so unless one is given. */
  approve(userCode: string, member?: string): Promise<void>;
  reject(userCode: string, member?: string): Promise<void>;
  expire(userCode: string): Promise<void>;
  /** The newest mails, newest first. @param to a part of the address or of the subject */
  mails(to?: string): Promise<readonly Mail[]>;
  /** Lets the next answers meet something. */
  fault(fault: FaultOptions): Promise<void>;
  /** Asks what `docs/rehearsal.md` describes. @param path below `/rehearsal`, such as `/wire` */
  rehearsal(path: string, body?: object): Promise<unknown>;
}

/** A running service; what it does itself it does on its first tenant. */
export interface Door extends DoorTenant {
  readonly port: number;
  readonly tenants: readonly DoorTenant[];
  /** The tenant of a name. @throws if there is none */
  tenant(name: string): DoorTenant;
  readonly clock: DoorClock;
  /** Back to what there was after the start: data, mails, clock and faults. Browsers that signed in since are signed out. */
  reset(): Promise<void>;
  /** Ends the service, once. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a development service in memory, at a free port of this machine. It ends with this process at the latest. */
export type StartMemberdoor = (options?: DoorOptions) => Promise<Door>;
