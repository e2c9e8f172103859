/** What conditional requests are compared with. */
export interface Validators {
  /** A strong entity tag with its quotes. */
  readonly etag: string
  readonly modifiedMs: number
}

interface Conditions {
  readonly ifNoneMatch?: string | undefined
  readonly ifModifiedSince?: string | undefined
}

/** Whether the client has this representation already (RFC 9110, 13.1.2 and 13.1.3). */
export function isNotModified({ ifNoneMatch, ifModifiedSince }: Conditions, current: Validators): boolean {
  if (ifNoneMatch !== undefined) return matchesAny(ifNoneMatch, current.etag)
  const sinceMs = parseHttpDate(ifModifiedSince)
  return sinceMs !== undefined && wholeSecond(current.modifiedMs) <= sinceMs
}

/** Whether a range may be sent: `If-Range` is absent, or names exactly this representation (13.1.5). */
export function permitsRange(ifRange: string | undefined, current: Validators): boolean {
  if (ifRange === undefined) return true
  const value = ifRange.trim()
  if (value.startsWith('"')) return value === current.etag
  // A date has a resolution of a second, in which a file may be changed twice: only the tag is strong enough.
  return false
}

/** Tags are compared weakly: `W/` does not count. */
function matchesAny(header: string, etag: string): boolean {
  return header.split(',').some((each) => {
    const tag = each.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}

function parseHttpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    return undefined
  }
  const timeMs = Date.parse(text)
  return Number.isNaN(timeMs) ? undefined : timeMs
}

function wholeSecond(timeMs: number): number {
  return Math.floor(timeMs / 1_000) * 1_000
}
