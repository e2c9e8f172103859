import { shortIdText } from '../../core/device-id.ts'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import type { IgnoredItem, Item } from '../../model/queries/explorer-types.ts'
import type { ItemJson } from '../../rest/twinfold.ts'
import { formatNs } from './times.ts'

/** The global record, or the local one where there is no valid global one. */
export function itemJson({ records, state, children, devices }: Item): ItemJson {
  const shown = isInvalid(records.global) ? (records.local ?? records.global) : records.global
  return {
    ...headJson(shown),
    type: shown.type,
    deleted: shown.deleted,
    state,
    ...(children !== undefined && { children }),
    devices,
  }
}

/** No device has announced it. */
export function ignoredJson({ modifiedS, modifiedNs, ...item }: IgnoredItem): ItemJson {
  const modified = formatNs(modifiedS, modifiedNs)
  return { ...item, modified, modifiedBy: '', deleted: false, state: 'ignored', devices: [] }
}

export function headJson({ name, sizeBytes, modifiedS, modifiedNs, modifiedBy }: FileHead) {
  return { name, sizeBytes, modified: formatNs(modifiedS, modifiedNs), modifiedBy: shortIdText(modifiedBy) }
}
