// AppAuth for Node as a module: its own files leave out the ends of the names that they import.
export * from '@openid/appauth';
export { NodeCrypto } from '@openid/appauth/built/src/node_support/crypto_utils.js';
export { NodeBasedHandler } from '@openid/appauth/built/src/node_support/node_request_handler.js';
export { NodeRequestor } from '@openid/appauth/built/src/node_support/node_requestor.js';
