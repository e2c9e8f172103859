import type { Hub } from '../../model/model.ts'
import { escapeJson } from '../pipeline/json.ts'
import { typeName } from './file-entry.ts'
import { formatNs } from './times.ts'

type TreeEntry = Awaited<ReturnType<Hub['browse']>>[number]

/** Characters of one piece: some milliseconds of work. */
const PIECE_LENGTH = 64 * 1024

/** A list whose end is not written yet. */
interface OpenList {
  readonly entries: readonly TreeEntry[]
  readonly indent: string
  next: number
}

/** A list of `TreeEntryJson` in the format of `formatJson`, in pieces. Any depth: the open lists are a stack. */
export function* treeJson(tree: readonly TreeEntry[]): Generator<string, void, undefined> {
  const stack: OpenList[] = [{ entries: tree, indent: '', next: 0 }]
  let text = '['
  for (let list = stack.at(-1); list !== undefined; list = stack.at(-1)) {
    const entry = list.entries[list.next]
    if (entry === undefined) {
      stack.pop()
      const outer = stack.at(-1)
      text += `${list.entries.length === 0 ? '' : `\n${list.indent}`}]${outer === undefined ? '\n' : closing(outer)}`
    } else {
      text += `${list.next++ === 0 ? '' : ','}\n${entryText(entry, `${list.indent}  `)}`
      if (entry.children.length === 0) text += closing(list)
      else {
        const indent = `${list.indent}    `
        text += `,\n${indent}"children": [`
        stack.push({ entries: entry.children, indent, next: 0 })
      }
    }
    if (text.length < PIECE_LENGTH) continue
    yield escapeJson(text)
    text = ''
  }
  yield escapeJson(text)
}

/** An entry without its end. */
function entryText(entry: TreeEntry, indent: string): string {
  const fields = [
    `"name": ${JSON.stringify(entry.name)}`,
    `"modTime": ${JSON.stringify(formatNs(entry.modifiedS, entry.modifiedNs))}`,
    `"size": ${entry.type === 'file' ? entry.sizeBytes : 0}`,
    `"type": ${JSON.stringify(typeName(entry.type))}`,
  ]
  return `${indent}{\n${fields.map((field) => `${indent}  ${field}`).join(',\n')}`
}

function closing({ indent }: OpenList): string {
  return `\n${indent}  }`
}
