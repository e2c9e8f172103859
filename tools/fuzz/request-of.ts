import type { HttpRequest } from '../../src/platform/http.ts'

/** The API key of the device. */
export const KEY = 'the key of the device'
const NEVER = new AbortController().signal

/** Node refuses heads with these. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/g

/** The head as Node gives it: names in lower case, values without line ends. */
export function requestOf(head: string): HttpRequest {
  const [start = '', ...lines] = head.split(/\r?\n/).map((line) => line.replace(CONTROL, ''))
  const [method = '', target = ''] = start.split(' ')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return {
    method,
    target,
    headers,
    remoteAddress: '127.0.0.1',
    remotePort: 1,
    secure: false,
    unixSocket: false,
    signal: NEVER,
    body: async () => new Uint8Array(0),
  }
}
