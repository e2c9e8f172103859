import { TwinfoldError } from '../../core/errors.ts'
import type { ContentView } from '../../model/content/reader-types.ts'
import { CONTENT_ROUTES } from '../../rest/content-routes.ts'
import type { Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'
import { contentReply } from '../views/content.ts'
import { folderOf } from './tree-query.ts'

/** Contents of files, also of those that are not on this device. */
export function contentRoutes(content: ContentView): readonly Route[] {
  const reply = (call: Call<'folder' | 'file' | 'download'>) => replyTo(content, call)
  return bind(CONTENT_ROUTES, {
    'GET /rest/twinfold/content': reply,
    'HEAD /rest/twinfold/content': reply,
  })
}

async function replyTo(content: ContentView, { query, request }: Call<'folder' | 'file' | 'download'>): Promise<Reply> {
  const folder = folderOf(query)
  const file = query.first('file') ?? ''
  if (file === '') throw new TwinfoldError('bad-request', 'file is missing')
  const opened = await content.open(folder, file, request.signal)
  const disposition = query.first('download') === '1' ? 'attachment' : 'inline'
  return await contentReply(opened, request, { disposition })
}
