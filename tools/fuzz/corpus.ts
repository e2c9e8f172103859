/** Inputs kept for each target: one a line, a JSON text where it is readable, otherwise bytes in hex. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const CORPUS = join(import.meta.dirname, '..', '..', 'test', 'fuzz', 'corpus')

export function readCorpus(target: string): readonly Uint8Array[] {
  const path = pathOf(target)
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(fromLine) : []
}

export function writeCorpus(target: string, inputs: readonly Uint8Array[]): void {
  mkdirSync(CORPUS, { recursive: true })
  writeFileSync(pathOf(target), inputs.map((input) => `${toLine(input)}\n`).join(''))
}

function pathOf(target: string): string {
  return join(CORPUS, `${target}.txt`)
}

/** An empty input is the empty text. */
function fromLine(line: string): Uint8Array {
  return line.startsWith('"') ? Buffer.from(JSON.parse(line) as string) : Buffer.from(line, 'hex')
}

export function toLine(input: Uint8Array): string {
  const bytes = Buffer.from(input)
  const text = bytes.toString()
  const isReadable = Buffer.from(text).equals(bytes) && !/[^\x20-\x7e\r\n\t]/.test(text)
  return isReadable ? JSON.stringify(text) : bytes.toString('hex')
}
