import type { RefusalCode } from './types.ts'

/** The peer responded with an error code. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly code: RefusalCode

  constructor(code: RefusalCode) {
    super(`the device refused the request: ${code}`)
    this.code = code
  }
}

/** Why a connection ended: the reason of its `closed` signal and of every promise that ended with it. */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed'
}
