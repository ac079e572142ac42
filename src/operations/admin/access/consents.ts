// The operations on consents.
import type { Consent } from '../../../core/access/consent.ts';
import { accessIdPattern } from '../../../core/access/content-channel.ts';
import { isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { packageTextLength } from '../../../core/access/limits.ts';
import {
  exactly,
  flag,
  held,
  linesRule,
  list,
  named,
  nameRule,
  resource,
  text,
  timeOrNull,
} from '../../../json-schema.ts';
import { listEveryConsent } from '../../../storage/access/consent.ts';
import type { ListPage } from '../../../storage/list-page.ts';
import { defineConsent } from '../../access/consent.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { type ListInput, listFields, nextOf, readPage } from '../list.ts';
import type { Operation } from '../operation.ts';
import { isNotYet } from '../portal-face.ts';

export const consentIdField = named(
  'ConsentId',
  held(text('The id of the consent: small letters, digits and hyphens', 'newsletter'), {
    pattern: accessIdPattern.source,
  }),
);
/** What is said of a consent. */
export const consentFields = {
  name: held(text('What members agree to', 'Newsletter'), nameRule(packageTextLength.name)),
  description: held(
    text('What members read below the name', 'A mail every Friday with what is new.'),
    linesRule(packageTextLength.description),
  ),
  atSignUp: flag('Whether it is asked for at sign-up'),
  atCheckout: flag('Whether it is asked for at checkout'),
} as const;

const consentSchema = resource('ConsentDefinition', 'A consent', {
  id: consentIdField,
  ...consentFields,
  retiredAt: timeOrNull('From when on it is not asked for any more', null),
});

function consentAnswer({ tenantId: _, retiredAt, ...consent }: Consent) {
  return { ...consent, retiredAt: isoTimeOrNull(retiredAt) };
}

const listed = onTenant<ListInput<string> & { readonly consentId?: string }>({
  name: 'consents.list',
  summary: 'List the consents that a tenant asks for, or ever asked for',
  portal: {
    list: {
      title: 'Consents',
      columns: ['id', 'name', 'atSignUp', 'atCheckout', 'retiredAt'],
      lead: 'What members are asked to agree to.',
      entry: { field: 'consentId', key: 'id' },
    },
  },
  permission: 'access:read',
  method: 'GET',
  path: '/consents',
  optional: listFields('consentId', consentIdField),
  output: exactly('A page of consents, by id', {
    consents: list('Consents', consentSchema),
    next: nextOf(consentIdField),
  }),
  run: async ({ tx, tenant }, { consentId, ...input }) => {
    const read = (page: ListPage<string>) => listEveryConsent(tx, tenant.id, page);
    const { page, next } = await readPage(input, consentId, read, ({ id }) => id);
    return { consents: page.map(consentAnswer), next };
  },
});

interface ConsentInput extends Pick<Consent, 'name' | 'description' | 'atSignUp' | 'atCheckout'> {
  readonly consentId: string;
}

const defined = onTenant<ConsentInput>({
  name: 'consents.define',
  summary: 'Define a consent, or change the one of that id; answers keep the words they answered',
  portal: { page: 'consents.list', reads: 'consents.list' },
  permission: 'access:write',
  method: 'PUT',
  path: '/consents/{consentId}',
  fields: { consentId: consentIdField, name: consentFields.name },
  optional: {
    description: { ...consentFields.description, default: '' },
    atSignUp: { ...consentFields.atSignUp, default: false },
    atCheckout: { ...consentFields.atCheckout, default: false },
  },
  output: consentSchema,
  run: async ({ tx, tenant }, { consentId: id, name, description, atSignUp, atCheckout }) => {
    const said = { id, name: name.trim(), description, atSignUp, atCheckout };
    const consent = { ...said, tenantId: tenant.id, retiredAt: null };
    await defineConsent(tx, consent);
    return consentAnswer(consent);
  },
});

const retired = onTenant<{ readonly consentId: string }>({
  name: 'consents.retire',
  summary: 'Ask for a consent no more; what was answered is kept',
  portal: { page: 'consents.list', reads: 'consents.list', ends: true, fits: isNotYet('retiredAt') },
  permission: 'access:write',
  method: 'DELETE',
  path: '/consents/{consentId}',
  fields: { consentId: consentIdField },
  output: consentSchema,
  run: async ({ tx, tenant, now }, { consentId }) => {
    const known = (await listEveryConsent(tx, tenant.id)).find(({ id }) => id === consentId);
    if (known === undefined) throw unknown('consent');
    const consent = { ...known, retiredAt: known.retiredAt ?? now };
    await defineConsent(tx, consent);
    return consentAnswer(consent);
  },
});

export const consentOperations: readonly Operation[] = [listed, defined, retired];
