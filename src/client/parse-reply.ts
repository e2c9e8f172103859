import { ClientError } from './errors.ts'

/**
 * The only conversion of the text of a reply into its type. It checks that the text is JSON of the right kind, which
 * detects another program at the same address; the fields are not checked.
 */
export function parseReply<T>(text: string, kind: 'object' | 'array', path: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ClientError('malformed', `${path} did not return JSON: is another program listening there?`, {
      text: text.slice(0, 200),
      cause,
    })
  }
  const fits =
    kind === 'array' ? Array.isArray(value) : typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!fits)
    throw new ClientError('malformed', `${path} did not return an ${kind}`, {
      text: text.slice(0, 200),
    })
  return value as T
}
