import { contentTypeOf } from '../../src/core/formats/content-type.ts'
import type { FolderConfig } from '../../src/core/config/config.ts'

/** How a browser shows the content of a file. */
export type PreviewKind = 'picture' | 'audio' | 'video' | 'text' | 'pdf'

/** A longer text makes the page slow. */
const TEXT_BYTES_MAX = 2 * 1_024 * 1_024
/** Types that no browser of today shows in a page. */
const NOT_SHOWN = /^(image\/(heic|tiff|jxl)|audio\/midi|video\/(x-msvideo|mpeg))$/

/** Undefined for a file that can only be downloaded. */
export function previewKind(name: string, sizeBytes: number): PreviewKind | undefined {
  const type = contentTypeOf(name)
  if (NOT_SHOWN.test(type)) return undefined
  if (type.startsWith('image/')) return 'picture'
  if (type.startsWith('audio/')) return 'audio'
  if (type.startsWith('video/')) return 'video'
  if (type === 'application/pdf') return 'pdf'
  const isText = type.startsWith('text/') || type.startsWith('application/json')
  return isText && sizeBytes <= TEXT_BYTES_MAX ? 'text' : undefined
}

/** Whether the content of a file can be read at all: it may be on other devices only. */
export function hasContent(
  item: { readonly type: string; readonly deleted: boolean },
  { paused, type }: Pick<FolderConfig, 'paused' | 'type'>,
): boolean {
  return item.type === 'file' && !item.deleted && !paused && type !== 'receiveencrypted'
}

/** The address of the newest version of a file. A browser saves it instead of showing it with `download`. */
export function contentAddress(folder: string, file: string, download = false): string {
  const query = new URLSearchParams({ folder, file, ...(download && { download: '1' }) })
  return `/rest/twinfold/content?${query}`
}
