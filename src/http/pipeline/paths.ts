/** The path of a request in the one form that authentication and routing both decide on. */
export interface RequestPath {
  /** Decoded and cleaned: no `//`, no `.`, no `..`; a trailing slash is kept. */
  readonly path: string
  /** Whether the request used another form and must be redirected. */
  readonly redirect: boolean
}

/** Splits a request target. The host of an absolute one (`http://host/path`) replaces the Host header. */
export function splitTarget(target: string): {
  readonly rawPath: string
  readonly query: string
  readonly host: string | undefined
} {
  let rest = target
  let host: string | undefined
  if (!target.startsWith('/')) {
    const match = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target)
    if (match !== null) {
      host = match[1]
      rest = match[2] === '' ? '/' : (match[2] ?? '/')
    }
  }
  const mark = rest.indexOf('?')
  return mark < 0
    ? { rawPath: rest, query: '', host }
    : { rawPath: rest.slice(0, mark), query: rest.slice(mark + 1), host }
}

/** Decodes and cleans a path; undefined for an invalid path (bad escapes, not absolute). */
export function normalisePath(rawPath: string): RequestPath | undefined {
  if (!rawPath.startsWith('/')) return undefined
  let decoded
  try {
    decoded = decodeURIComponent(rawPath)
  } catch {
    return undefined
  }
  const path = cleanPath(decoded)
  return { path, redirect: path !== decoded }
}

function cleanPath(path: string): string {
  if (!path.includes('//') && !path.includes('/.')) return path
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  const last = path.slice(path.lastIndexOf('/') + 1)
  const open = parts.length > 0 && (last === '' || last === '.' || last === '..')
  return `/${parts.join('/')}${open ? '/' : ''}`
}

/** A path for a Location header: one leading slash, and nothing that a browser would read as another host. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
