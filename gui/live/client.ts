import { Client } from '../../src/client/client.ts'
import { fetchTransport } from '../../src/client/transport.ts'
import { csrfHeaders } from './csrf.ts'

const UNDO = 'X-Twinfold-Undo'
/** The tokens of the actions that run now, each with those of its requests. */
const running: string[][] = []

const fetchWithUndo: typeof fetch = async (input, init) => {
  const tokens = running.at(-1)
  const reply = await fetch(input, init)
  const token = reply.headers.get(UNDO)
  if (token !== null) tokens?.push(token)
  return reply
}

const carry = fetchTransport('', fetchWithUndo)

/** The daemon that served the page. There is no other way to it. */
export const client = new Client({
  apiKey: '',
  transport: (request) =>
    carry({
      ...request,
      headers: { ...request.headers, ...csrfHeaders(document.cookie), ...(running.length > 0 && { [UNDO]: 'wanted' }) },
    }),
})

/** Runs an action. Resolves to the tokens with which the daemon undoes what its requests have changed. */
export async function collectUndo(doing: () => Promise<unknown>): Promise<readonly string[]> {
  const tokens: string[] = []
  running.push(tokens)
  try {
    await doing()
    return tokens
  } finally {
    running.splice(running.indexOf(tokens), 1)
  }
}
