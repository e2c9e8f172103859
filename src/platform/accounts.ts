import { Accounts } from '../core/attributes/accounts.ts'
import type { Disk } from './disk.ts'

/** Lists of people are short; a longer one is left alone, and they are known by their numbers. */
const LIST_SIZE_BYTES_MAX = 4 * 1_024 * 1_024

/** The people and groups that this machine itself knows. Those from elsewhere (a directory service) have numbers only. */
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
    let done = 0
    for (let count = -1; count !== 0 && done < text.length; done += count)
      count = await file.read(text.subarray(done), done)
    return text.toString('utf8', 0, done)
  } catch {
    return '' // there is none, or it is not for us: numbers will do
  }
}
