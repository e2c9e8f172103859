import type { FileHead } from './file-info.ts'

/** The fields that decide between records of one name. */
export type Claim = Pick<FileHead, 'deleted' | 'localFlags' | 'modifiedS' | 'modifiedNs' | 'version'> &
  Partial<Pick<FileHead, 'blocksHash' | 'previousBlocksHash'>>
