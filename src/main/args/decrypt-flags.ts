import type { FlagSpec } from '../../cli/args/flag-spec.ts'

export const DECRYPT_FLAGS: readonly FlagSpec[] = [
  { name: 'to', value: 'PATH', description: 'Where the plain files go' },
  { name: 'verify-only', description: 'Decrypt and check all files, and write none' },
  {
    name: 'password-file',
    value: 'FILE',
    description: 'The password is the first line of this file, such as "folder share --save" writes',
  },
  {
    name: 'password',
    value: 'TEXT',
    env: 'FOLDER_PASSWORD',
    description: 'The password of the folder, for scripts; other users of the machine can see it here',
  },
  { name: 'folder-id', value: 'ID', description: 'The ID of the folder; by default that of its token file' },
  { name: 'token-path', value: 'PATH', description: 'The token file, if it is not in the marker directory' },
  { name: 'verbose', description: 'Print every file' },
  // Damaged files never end a run here.
  { name: 'continue' },
]
