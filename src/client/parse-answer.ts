import { ClientError } from './errors.ts'

/**
 * The only door from the text of an answer into its type. It checks that the text is JSON of the right kind, which
 * tells another program at the same address from a daemon; the fields are the daemon's promise.
 */
export function parseAnswer<T>(text: string, kind: 'object' | 'array', path: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ClientError('malformed', `${path} did not answer in JSON: is it another program?`, {
      text: text.slice(0, 200),
      cause,
    })
  }
  const fits =
    kind === 'array' ? Array.isArray(value) : typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!fits)
    throw new ClientError('malformed', `${path} answered with something else than an ${kind}`, {
      text: text.slice(0, 200),
    })
  return value as T
}
