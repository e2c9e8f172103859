import { httpDate } from '../../core/formats/http-date.ts'
import { contentDisposition, contentTypeOf } from '../../core/formats/content-type.ts'
import { isNotModified, permitsRange } from '../../core/formats/preconditions.ts'
import { parseRange } from '../../core/formats/byte-range.ts'
import type { OpenedContent } from '../../model/content/reader-types.ts'
import type { HttpRequest } from '../../platform/http.ts'
import { headerOf } from '../pipeline/credentials.ts'
import type { Reply } from '../pipeline/reply.ts'

export interface ContentReplyOptions {
  /** `attachment` makes a browser save the file. */
  readonly disposition: 'attachment' | 'inline'
}

/**
 * The content of a file as a reply to `GET` or `HEAD`: whole, or one range of it. Several ranges in one request are
 * answered with the whole file. The first bytes are read before the reply begins, so that a file that cannot be read is
 * an error with a status; later failures close the connection, so that the client sees that bytes are missing.
 */
export async function contentReply(
  opened: OpenedContent,
  request: HttpRequest,
  { disposition }: ContentReplyOptions,
): Promise<Reply> {
  const { etag, modifiedMs, name, sizeBytes } = opened
  const type = contentTypeOf(name)
  const header = (key: string) => headerOf(request, key)
  const headers = {
    ETag: etag,
    'Last-Modified': httpDate(modifiedMs),
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-cache',
    'Content-Disposition': contentDisposition(disposition, name),
    // A hostile file must not act as our page.
    'Content-Security-Policy': policyOf(type),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  }
  const conditions = { ifNoneMatch: header('if-none-match'), ifModifiedSince: header('if-modified-since') }
  if (isNotModified(conditions, opened)) return { status: 304, headers }
  const isRanged = request.method === 'GET' && permitsRange(header('if-range'), opened)
  const wanted = parseRange(isRanged ? header('range') : undefined, sizeBytes)
  if (wanted.kind === 'unsatisfiable') {
    return { status: 416, headers: { ...headers, 'Content-Range': `bytes */${sizeBytes}` } }
  }
  const [fromBytes, toBytes] = wanted.kind === 'whole' ? [0, sizeBytes] : [wanted.fromBytes, wanted.toBytes]
  const part = wanted.kind === 'part' && { 'Content-Range': `bytes ${fromBytes}-${toBytes - 1}/${sizeBytes}` }
  const described = { ...headers, ...part, 'Content-Length': String(toBytes - fromBytes) }
  const reply = { status: wanted.kind === 'part' ? 206 : 200, contentType: type, headers: described }
  if (request.method === 'HEAD' || fromBytes === toBytes) return reply
  const pieces = opened.read(fromBytes, toBytes, request.signal)[Symbol.asyncIterator]()
  return { ...reply, body: startingWith(await pieces.next(), pieces) }
}

/** Without scripts and an origin; a document of others loads nothing, which would tell them that it is read. */
function policyOf(contentType: string): string {
  const isDocument = /^(text\/html|image\/svg)/.test(contentType)
  return isDocument ? "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:" : 'sandbox'
}

async function* startingWith(
  first: IteratorResult<Uint8Array, unknown>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
