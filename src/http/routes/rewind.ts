import { TwinfoldError } from '../../core/errors.ts'
import type { RewindMode } from '../../core/rewind/step.ts'
import type { RewindGroup, RewindPreview, RewindRequest, RewindStatus, RewindView } from '../../model/rewind/types.ts'
import { readBody } from '../../rest/read-body.ts'
import { REWIND_ROUTES, type RewindJson, type RewindPreviewJson, type RewindReplyJson } from '../../rest/rewind.ts'
import { parseJson } from '../pipeline/json.ts'
import type { Query } from '../pipeline/query.ts'
import { EMPTY_OK, json, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { formatMs } from '../views/times.ts'
import { folderOf, itemOf, timeOf } from './tree-query.ts'

const BODY_BYTES_MAX = 4_096

/** Routes of rewinds. */
export function rewindRoutes(rewinder: RewindView): readonly Route[] {
  return bind(REWIND_ROUTES, {
    'GET /rest/twinfold/rewind': async ({ query, request }) => {
      const momentMs = timeOf('to', query.first('to'))
      const mode = query.first('mode') === 'beside' ? 'beside' : 'in-place'
      const folder = folderOf(query)
      const preview =
        momentMs === undefined ? undefined : await rewinder.preview(requestOf(query, momentMs, mode), request.signal)
      return replyOf(preview, rewinder.status(folder))
    },
    'POST /rest/twinfold/rewind': async ({ query, request }) => {
      const { body } = REWIND_ROUTES['POST /rest/twinfold/rewind']
      const { mode } = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      const momentMs = timeOf('to', query.first('to'))
      if (momentMs === undefined) throw new TwinfoldError('bad-request', 'to is missing')
      return replyOf(undefined, await rewinder.start(requestOf(query, momentMs, mode), request.signal))
    },
    'DELETE /rest/twinfold/rewind': async ({ query }) => {
      await rewinder.stop(folderOf(query))
      return EMPTY_OK
    },
  })
}

function requestOf(query: Query<'folder' | 'path'>, momentMs: number, mode: RewindMode): RewindRequest {
  const path = itemOf('path', query.first('path')?.replace(/\/$/, '') || undefined) ?? ''
  return { folder: folderOf(query), path, momentMs, mode }
}

function replyOf(preview: RewindPreview | undefined, status: RewindStatus | undefined): Reply {
  const body: RewindReplyJson = {
    preview: preview === undefined ? null : previewJson(preview),
    rewind: status === undefined ? null : statusJson(status),
  }
  return json(body)
}

function previewJson({
  restorable,
  replaced,
  gone,
  kept,
  removed,
  blocked,
  ...rest
}: RewindPreview): RewindPreviewJson {
  const { beside, isVerified: verified } = rest
  return {
    restorable: groupJson(restorable),
    replaced,
    gone: groupJson(gone),
    kept: groupJson(kept),
    removed: groupJson(removed),
    blocked: groupJson(blocked),
    beside,
    verified,
  }
}

function groupJson({ items, bytes, names }: RewindGroup): RewindPreviewJson['gone'] {
  return { items, bytes, names: [...names] }
}

function statusJson({ path, momentMs, mode, beside, state, totals, ...status }: RewindStatus): RewindJson {
  const { startedMs, endedMs, items, handled, error, problems } = status
  const started = formatMs(startedMs)
  const ended = endedMs === 0 ? null : formatMs(endedMs)
  const progress = { items, handled, ...totals }
  return {
    path,
    to: formatMs(momentMs),
    mode,
    beside,
    state,
    started,
    ended,
    ...progress,
    error,
    problems: [...problems],
  }
}
