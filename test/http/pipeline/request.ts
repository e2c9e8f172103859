import type { HttpRequest } from '../../../src/platform/http.ts'
import { simRequest } from '../../../src/platform/sim/http.ts'

/** A request with these headers, as a handler receives it. */
export function requestWith(headers: Readonly<Record<string, string>>, secure = false): HttpRequest {
  const call = { method: 'GET', target: '/', headers, secure }
  return simRequest(call, { signal: new AbortController().signal, unixSocket: false, host: '127.0.0.1:8384' })
}
