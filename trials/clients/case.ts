// What a case of the matrix is, and what the service looks like to it.

import type { clientFields } from '../../src/operations/admin/clients/client.ts';
import type { ValuesOf } from '../../src/operations/json-schema.ts';
import type { TestApp } from '../../test/support/browser/app.ts';
import type { View } from '../../test/support/browser/browser.ts';
import type { Certificate } from '../../test/support/proxy/certificate.ts';
import type { Spoken, Visitor } from '../../test/support/visitor.ts';

/** One library, tried as its own documentation says. */
export interface Case {
  /** The package, as the registry and `package.json` have it. */
  readonly name: string;
  /** What runs it: a Node program, a web server, a page, or an API that takes our access tokens. */
  readonly kind: 'Node' | 'web server' | 'browser' | 'API';
  /** What it has to be told, and what its client has to have: a cell of a table in Markdown. */
  readonly settings: string;
  /** Whether it cannot be used: then `run` holds it to say why. */
  readonly refused?: true;
  /** Throws where something is wrong. */
  readonly run: (door: Door) => Promise<void>;
}

/** What a client is registered with, as the admin API takes it. */
export type Registration = Partial<ValuesOf<typeof clientFields>> & {
  readonly type: 'confidential' | 'public';
};

export interface Registered {
  readonly clientId: string;
  /** Empty for a public client. */
  readonly secret: string;
}

/** The running service, as a client developer and an operator meet it. */
export interface Door {
  readonly issuer: string;
  readonly service: Spoken;
  /** Registers a client through the admin API. */
  register(registration: Registration): Promise<Registered>;
  /** Changes settings of the tenant through the admin API. */
  changeTenant(changes: object): Promise<void>;
  /** Registers an API of the tenant that is open to clients which no operator registered, with one scope. */
  registerApi(identifier: string, scope: string): Promise<void>;
  deleteApi(identifier: string): Promise<void>;
  /** A certificate for localhost, which the service trusts when it calls. */
  readonly certificate: Certificate;
  /** A browser without a window, and with no session. */
  visitor(): Visitor;
  /** A page in Chromium, with nothing in its cookie jar. */
  view(): Promise<View>;
  /** An app of one page at `/` and `/callback`, with a script bundled of this file of `apps`, and its settings. */
  page(file: string, settings: (origin: string) => Promise<object>): Promise<TestApp>;
}

/** The member who signs in. */
export const email = 'ada@example.com';

export const redirectUri = 'http://localhost/callback';
export const scopes = ['openid', 'offline_access', 'profile', 'email'];
export const scope = scopes.join(' ');
