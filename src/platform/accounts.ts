import { Accounts } from '../core/attributes/accounts.ts'
import type { Disk } from './disk.ts'
import { fillBuffer } from './fill-buffer.ts'

/** Larger account lists are not read; numeric IDs are used instead. */
const LIST_SIZE_BYTES_MAX = 4 * 1_024 * 1_024

/** The local users and groups. Those of a directory service have numeric IDs only. */
export async function readAccounts(disk: Pick<Disk, 'open'>): Promise<Accounts> {
  const [passwd, group] = await Promise.all(['/etc/passwd', '/etc/group'].map((path) => readList(disk, path)))
  return new Accounts(passwd ?? '', group ?? '')
}

async function readList(disk: Pick<Disk, 'open'>, path: string): Promise<string> {
  try {
    await using file = await disk.open(path, 'read')
    const { sizeBytes } = await file.stat()
    if (sizeBytes > LIST_SIZE_BYTES_MAX) return ''
    const text = Buffer.alloc(sizeBytes)
    return text.toString('utf8', 0, await fillBuffer(file, text))
  } catch {
    return '' // missing or unreadable: numeric IDs are used
  }
}
