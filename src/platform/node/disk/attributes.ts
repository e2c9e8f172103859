import { setImmediate } from 'node:timers/promises'
import { systemCode } from '../../../core/errors.ts'
import { inOrder, type AttributeList } from '../../../core/attributes/attributes.ts'
import { joinPath } from '../../../core/paths.ts'
import type { AttributeFailure, Attributes, AttributesWritten } from '../../attributes.ts'
import { checkPath } from '../../disk-error.ts'
import { diskReason } from '../../files/disk-reason.ts'
import { nameFromBytes } from '../../files/disk-name.ts'
import type { NativeAttributes } from '../native/attributes.ts'
import { posix } from '../native/posix.ts'

/** Reading is synchronous, because it takes some microseconds for an item that was just walked. */
const SLICE_MS = 5

/** In the words of the programs. */
const GONE: AttributeFailure = { code: 'gone', text: 'No such file or directory' }
const FAILURES: ReadonlyMap<string | undefined, AttributeFailure> = new Map([
  ['ENOENT', GONE],
  ['ENOTDIR', GONE],
  ['EACCES', { code: 'not-permitted', text: 'Permission denied' }],
  ['ENOTSUP', { code: 'unsupported', text: 'Operation not supported' }],
])

const NO_ATTRIBUTE = 'ENODATA'

/** Extended attributes by native calls where there are any, by programs else. */
export function nodeAttributesWith(native: () => NativeAttributes | undefined): Attributes {
  return {
    async read(root, names, signal) {
      const calls = native()
      if (calls === undefined) return await (await programs()).read(root, names, signal)
      const found = new Map<string, AttributeList>()
      const failed = new Map<string, AttributeFailure>()
      let sinceMs = performance.now()
      for (const name of names) {
        signal.throwIfAborted()
        try {
          const attributes = readAll(calls, joinPath(root, name))
          if (attributes.length > 0) found.set(name, attributes)
        } catch (error) {
          failed.set(name, failureOf(error))
        }
        if (performance.now() - sinceMs < SLICE_MS) continue
        await setImmediate()
        sinceMs = performance.now()
      }
      return { kind: 'read', found, failed }
    },

    async write(path, change) {
      const calls = native()
      if (calls === undefined) return await (await programs()).write(path, change)
      for (const { name, value } of change.set) {
        const failure = attempt(name, () => calls.set(checked(path), refuseNul(name), value))
        if (failure !== undefined) return failure
      }
      for (const name of change.remove) {
        const failure = attempt(name, () => removeIfThere(calls, checked(path), refuseNul(name)))
        if (failure !== undefined) return failure
      }
      return { kind: 'written' }
    },
  }
}

export const nodeAttributes: Attributes = nodeAttributesWith(() => posix()?.attributes)

async function programs(): Promise<Attributes> {
  return (await import('./attribute-programs.ts')).attributePrograms
}

/** A name that is no UTF-8 is left out: no record can hold it. */
function readAll(calls: NativeAttributes, path: string): AttributeList {
  const attributes = calls.list(checked(path)).flatMap((bytes) => {
    const { name, valid } = nameFromBytes(bytes)
    if (!valid) return []
    try {
      return [{ name, value: calls.get(path, name) }]
    } catch (error) {
      if (systemCode(error) === NO_ATTRIBUTE) return [] // removed since it was listed
      throw error
    }
  })
  return inOrder(attributes)
}

function removeIfThere(calls: NativeAttributes, path: string, name: string): void {
  try {
    calls.remove(path, name)
  } catch (error) {
    if (systemCode(error) !== NO_ATTRIBUTE) throw error
  }
}

function attempt(attribute: string, work: () => void): AttributesWritten | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return { kind: 'failed', attribute, failure: failureOf(error) }
  }
}

function failureOf(error: unknown): AttributeFailure {
  return FAILURES.get(systemCode(error)) ?? { code: 'other', text: diskReason(error) }
}

function checked(path: string): string {
  checkPath(path, 'xattr')
  return path
}

/** C would end the name there. */
function refuseNul(name: string): string {
  if (name.includes('\0')) throw new Error('invalid name')
  return name
}
