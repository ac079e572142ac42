// The paths of the protocol that more than one file names.

export const tokenUrl = '/api/oidc/token';
