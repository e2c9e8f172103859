/** What programs that install the package may import; everything else in it may change without notice. */
export { Client, type EventQuery, type FolderChange } from './client.ts'
export { ClientError, type ClientFailure } from './errors.ts'
export type { ClientOptions } from './exchange.ts'
export type { OperationName, OperationOptions } from './operation.ts'
export { fetchTransport, type ClientReply, type ClientRequest, type Transport } from './transport.ts'
export type { ComponentTypes } from '../rest/components.ts'
export type { Reply } from '../rest/declaration.ts'
export type { Routes } from '../rest/routes.ts'
