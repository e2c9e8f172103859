import { TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { MoveStatus, MoveView } from '../../model/move/types.ts'
import type { MoveJson, MoveReplyJson, MoveStartedJson } from '../../rest/move.ts'
import { EMPTY_OK, json, type Reply } from '../pipeline/reply.ts'
import type { Call } from '../pipeline/route.ts'
import { formatMs } from '../views/times.ts'
import { flagOf, folderOf } from './tree-query.ts'

/** Starts the move of a folder, or returns what it would do. */
export async function startMove(
  mover: MoveView,
  { query, request }: Call<'folder' | 'path' | 'preview'>,
): Promise<Reply> {
  const folder = folderOf(query)
  const path = query.first('path') ?? ''
  if (path.trim() === '') throw new TwinfoldError('bad-request', 'path is missing')
  if (!flagOf('preview', query.first('preview'))) {
    const started: MoveStartedJson = {
      preview: null,
      move: moveJson(folder, await mover.start(folder, path, request.signal)),
    }
    return json(started)
  }
  const { problem, freeBytes, ...preview } = await mover.preview(folder, path, request.signal)
  const body: MoveStartedJson = {
    preview: { folder, ...preview, freeBytes: freeBytes ?? null, problem: problem ?? null },
    move: null,
  }
  return json(body)
}

export function showMove(mover: MoveView, { query }: Call<'folder'>): Reply {
  const folder = folderOf(query)
  const status = mover.status(folder)
  const body: MoveReplyJson = { move: status === undefined ? null : moveJson(folder, status) }
  return json(body)
}

export async function cancelMove(mover: MoveView, { query }: Call<'folder'>): Promise<Reply> {
  await mover.cancel(folderOf(query))
  return EMPTY_OK
}

function moveJson(folder: FolderId, { startedMs, endedMs, left, ...status }: MoveStatus): MoveJson {
  const ended = endedMs === 0 ? null : formatMs(endedMs)
  return { folder, ...status, left: [...left], started: formatMs(startedMs), ended }
}
