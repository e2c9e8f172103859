import { createHash } from 'node:crypto'
import type { ServiceFacts } from './types.ts'

/** The marker in a definition: Twinfold wrote it, for which program, and the digest of the rest. */
export interface Marker {
  readonly version: string
  readonly node: string
  readonly script: string
  readonly digest: string
}

const TITLE = 'twinfold-service'
const PATTERN = new RegExp(`${TITLE} (\\{[^\\r\\n]*?\\})`)

/** One line of printable ASCII without markup, so that it fits a comment of any format and any code page. */
export function markerLine(facts: Pick<ServiceFacts, 'version' | 'node' | 'script'>, body: string): string {
  const { version, node, script } = facts
  const json = JSON.stringify({ version, node, script, digest: digestOf(body) })
  return `${TITLE} ${json.replace(/[^ -~]|[<>&{}]|-(?=-)/g, escapeInside)}`
    .replace(/\\u007b/, '{')
    .replace(/\\u007d$/, '}')
}

/** The marker of a definition; undefined if Twinfold did not write it. */
export function readMarker(content: string): Marker | undefined {
  const [, json] = PATTERN.exec(content) ?? []
  if (json === undefined) return undefined
  try {
    const value: unknown = JSON.parse(json)
    return isMarker(value) ? value : undefined
  } catch {
    return undefined // the line was edited
  }
}

/** Whether a definition is unchanged since it was written. */
export function isUnedited(content: string): boolean {
  const marker = readMarker(content)
  if (marker === undefined) return false
  const body = content
    .split('\n')
    .filter((line) => !line.includes(`${TITLE} {`))
    .join('\n')
  return digestOf(body) === marker.digest
}

function escapeInside(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}

function isMarker(value: unknown): value is Marker {
  if (typeof value !== 'object' || value === null) return false
  return ['version', 'node', 'script', 'digest'].every((key) => typeof Reflect.get(value, key) === 'string')
}
