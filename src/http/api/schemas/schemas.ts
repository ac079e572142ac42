import { type NamedSchema, text } from '../../../json-schema.ts';
import { consentSchemas } from './consent.ts';
import { contentAccessSchemas } from './content-access.ts';
import { memberSchemas } from './member.ts';

/** An error (RFC 6749 §5.2, RFC 6750 §3). */
const apiError: NamedSchema = {
  $id: 'Error',
  type: 'object',
  description: 'What went wrong.',
  properties: {
    error: text(
      'The error, for programs. Absent where the request brought no token at all.',
      'invalid_token',
    ),
    error_description: text(
      'The error in words, for developers.',
      'the access token is expired, revoked or not one of ours',
    ),
  },
  required: ['error_description'],
  additionalProperties: false,
};

/** Every named schema of the member API. */
export const apiSchemas: readonly NamedSchema[] = [
  ...memberSchemas,
  ...contentAccessSchemas,
  ...consentSchemas,
  apiError,
];
