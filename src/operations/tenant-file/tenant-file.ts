// What a tenant file says: its types, and its schema.
import { consentFields } from '../admin/access/consents.ts';
import {
  networksField,
  paymentField,
  periodSchema,
  priceSchema,
  renewsField,
  seatsField,
  taxFields,
} from '../admin/access/packages.ts';
import { valuesField } from '../admin/access/subscriptions.ts';
import { apiFields, apiIdentifierField } from '../admin/clients/apis.ts';
import { clientFields, clientIdField, typeField } from '../admin/clients/client.ts';
import { emailField, fullNameField, memberFields, userTypeField } from '../admin/members/member.ts';
import { presetField, providerFields, providerKeyField } from '../admin/providers/provider.ts';
import { memberOnceFields, passwordHashField, subscriptionTimeFields } from '../admin/tenants/load.ts';
import { tenantFields } from '../admin/tenants/tenant.ts';
import {
  flag,
  list,
  named,
  type ObjectOf,
  oneOf,
  type Schema,
  type Schemas,
  text,
  textOrNull,
  texts,
  type ValueOf,
} from '../json-schema.ts';

/** One or several of something. */
type OneOrMore = string | readonly string[];

/** The entries of a field that takes one or several. */
export const each = (value: OneOrMore = []): readonly string[] => [value].flat();

/** An entry with fields that must be there and others that may. */
function entry<Required extends Schemas, Optional extends Schemas>(
  description: string,
  required: Required,
  optional: Optional,
): Schema<ObjectOf<Required, Optional>> {
  return {
    type: 'object',
    description,
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

/** One text or several; none of them empty. */
function oneOrMore(description: string, example: string): Schema<OneOrMore> {
  return {
    title: 'OneOrMore',
    type: ['string', 'array'],
    description,
    minLength: 1,
    items: { type: 'string', minLength: 1 },
    minItems: 1,
    uniqueItems: true,
    examples: [example],
  };
}

const nameField = text('What members read', 'Everything');
const described = text('What members read below the name', 'Every channel, on every screen.');
const logoFile = text('A PNG, WebP or SVG file, beside the tenant file or below it', 'logo.svg');
const faviconFile = text('Likewise, for its favicon', 'favicon.svg');
const coverPictureFile = text('A PNG, WebP or JPEG file, for the picture on its cover', 'cover.webp');
const accessId = text('Small letters, digits and hyphens', 'sport-live');

const packageSchema = entry(
  'A package, named by its name',
  {
    name: nameField,
    price: priceSchema,
    period: periodSchema,
    payment: paymentField,
    products: texts('The names of the products it opens', 'Sport'),
  },
  {
    description: described,
    ...taxFields,
    renews: renewsField,
    needsAddress: flag('Whether a subscriber must give a postal address'),
    seats: seatsField,
    offered: flag('Whether the checkout offers it'),
    networks: networksField,
  },
);

export type FilePackage = ValueOf<typeof packageSchema>;

const channelSchema = entry(
  'A content channel, named by its id',
  { id: accessId, name: nameField, products: texts('The names of the products that open it', 'Sport') },
  { description: described },
);

export type FileChannel = ValueOf<typeof channelSchema>;

const consentSchema = entry(
  'A consent, named by its id',
  { id: accessId, name: nameField },
  {
    description: described,
    atSignUp: consentFields.atSignUp,
    atCheckout: consentFields.atCheckout,
    retired: flag('Whether it is asked for no more'),
  },
);

export type FileConsent = ValueOf<typeof consentSchema>;

const propertySchema = entry(
  'A property that subscriptions can have',
  {
    key: text('The key of its values: a letter, then letters, digits, _ and -', 'seats'),
    type: oneOf('PropertyType', 'What its values are', ['number', 'string', 'timestamp']),
  },
  {},
);

const clientSchema = entry(
  'A client, named by its client_id',
  { clientId: clientIdField, name: text('The name that members read', 'Example app'), type: typeField },
  {
    secretHash: oneOrMore(
      'Its secrets, as SHA-256 in base64url',
      'x3Xnt1ft5jDNCqERO9ECZhqziCnKUqZCKreChi8mhkY',
    ),
    secretFile: oneOrMore('Files that hold a secret each', '/run/secrets/example-app'),
    secretEnv: oneOrMore('Variables of the environment that hold a secret each', 'EXAMPLE_APP_SECRET'),
    secret: oneOrMore('Its secrets in clear, on a development tenant alone', 'a-secret-for-development'),
    ...clientFields,
    logoFile,
    deviceFlow: flag('Whether it has the device flow'),
    disabled: flag('Whether it is as if it were not there'),
  },
);

export type FileClient = ValueOf<typeof clientSchema>;

const apiSchema = entry(
  'An API of the tenant, named by its identifier',
  { identifier: apiIdentifierField, name: apiFields.name },
  {
    scopes: apiFields.scopes,
    accessTokenAlgorithm: apiFields.accessTokenAlgorithm,
    unverifiedClients: apiFields.unverifiedClients,
  },
);

export type FileApi = ValueOf<typeof apiSchema>;

const providerSchema = entry(
  'A provider whose accounts members sign in with, named by its key',
  { key: providerKeyField, preset: presetField },
  {
    ...providerFields,
    clientSecretFile: text('A file that holds its secret', '/run/secrets/google'),
    clientSecretEnv: text('A variable of the environment that holds its secret', 'GOOGLE_SECRET'),
    clientSecret: text('Its secret in clear, on a development tenant alone', 'a-secret-for-development'),
    secretId: textOrNull(
      'The id of its secret, as an export says it: the file does not hold the secret',
      null,
    ),
    disabled: flag('Whether it is as if it were not there'),
  },
);

export type FileProvider = ValueOf<typeof providerSchema>;

const subscriptionSchema = entry(
  'A subscription of the member',
  { package: text('The name of the package', 'Everything') },
  { ...subscriptionTimeFields, properties: valuesField },
);

/** A subscription; one that is there keeps its times, which renewals and cancellations move. */
export type FileSubscription = ValueOf<typeof subscriptionSchema>;

const memberSchema = entry(
  'A member, named by the address',
  { email: emailField, fullName: fullNameField },
  {
    ...memberOnceFields,
    passwordHash: passwordHashField,
    password: text('The password of a new member in clear, on a development tenant alone', 'a long password'),
    emailVerified: flag('Whether the address was proven'),
    phoneVerified: flag('Whether the telephone number was proven'),
    userType: userTypeField,
    disabled: flag('Whether the member may not sign in'),
    ...memberFields,
    subscriptions: list('What the member has subscribed to', subscriptionSchema),
  },
);

/** A member; id, numbers, password and times count when the member is made, and stay from then on. */
export type FileMember = ValueOf<typeof memberSchema>;

const tenantSchema = entry(
  'A tenant, named by its issuer',
  {
    issuer: text('Its public address', 'https://login.example.com'),
    name: text('The name that members read in the header of every page', 'Example'),
  },
  {
    development: flag('Whether it is of a development service'),
    ...tenantFields,
    logoFile,
    faviconFile,
    coverPictureFile,
    stageTenant: textOrNull('The tenant on which things are tried first: its host', 'stage.example.com'),
    disabled: flag('Whether it answers as if it were not there'),
    properties: list('The properties that subscriptions can have', propertySchema),
    products: texts('The names of the products', 'Sport', 'News'),
    packages: list('What members can subscribe to', packageSchema),
    channels: list('What members watch and read', channelSchema),
    consents: list('What members are asked to agree to', consentSchema),
    apis: list('APIs that take access tokens of the tenant', apiSchema),
    identityProviders: list('Providers whose accounts members sign in with', providerSchema),
    clients: list('The apps, web sites and TVs that members sign in to', clientSchema),
    members: list('Members, for tests and for moving house', memberSchema),
  },
);

/** A tenant, named by its issuer. A section that is left out is not the file's business. */
export type FileTenant = ValueOf<typeof tenantSchema>;

/**
 * What a tenant file looks like; what its fields may say is what the operations take. What names an entry must be
 * there, and what it cannot be without; whatever else is left out stays as it is, or has its default where the entry is
 * new.
 */
export const tenantFileSchema = named(
  'TenantFile',
  entry('A tenant file', { tenants: { ...list('Tenants', tenantSchema), minItems: 1 } }, {}),
);

export type TenantFile = ValueOf<typeof tenantFileSchema>;
