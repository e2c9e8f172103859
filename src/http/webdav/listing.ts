import { contentTypeOf } from '../../core/formats/content-type.ts'
import { headTag } from '../../core/records/block-range.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { baseOf } from '../../core/paths.ts'
import { childHref } from '../../core/webdav/drive-path.ts'
import { MULTISTATUS_END, MULTISTATUS_START, responseWriter, type DriveItem } from '../../core/webdav/multistatus.ts'
import type { PropfindRequest } from '../../core/webdav/propfind-request.ts'

/** The body of a reply to PROPFIND: an item, then those of its directory, one piece of XML for each piece of heads. */
export async function* listItems(
  wanted: PropfindRequest,
  self: DriveItem,
  children: AsyncIterable<readonly FileHead[]>,
): AsyncGenerator<string> {
  const write = responseWriter(wanted)
  yield MULTISTATUS_START + write(self)
  for await (const heads of children) {
    let piece = ''
    for (const head of heads) {
      if (isOnDrive(head)) piece += write(driveItem(head, self.href))
    }
    yield piece
  }
  yield MULTISTATUS_END
}

/** The same for items that are known already. */
export function listKnown(wanted: PropfindRequest, items: readonly DriveItem[]): string {
  return MULTISTATUS_START + items.map(responseWriter(wanted)).join('') + MULTISTATUS_END
}

/** A symlink leads to a name on the disk of a device, which a drive does not have. */
export function isOnDrive({ type }: Pick<FileHead, 'type'>): boolean {
  return type !== 'symlink'
}

export function driveItem(head: FileHead, parentHref: string): DriveItem {
  const base = baseOf(head.name)
  const isDirectory = head.type === 'directory'
  return {
    href: childHref(parentHref, base, isDirectory),
    displayName: base,
    modifiedMs: head.modifiedS * 1_000 + Math.floor(head.modifiedNs / 1e6),
    file: isDirectory
      ? undefined
      : { sizeBytes: head.sizeBytes, contentType: contentTypeOf(base), etag: headTag(head) },
  }
}
