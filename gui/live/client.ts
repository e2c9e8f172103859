import { Client } from '../../src/client/client.ts'
import { fetchTransport } from '../../src/client/transport.ts'
import { csrfHeaders } from './csrf.ts'

const carry = fetchTransport('')

/** The daemon that served the page. There is no other way to it. */
export const client = new Client({
  apiKey: '',
  transport: (request) => carry({ ...request, headers: { ...request.headers, ...csrfHeaders(document.cookie) } }),
})
