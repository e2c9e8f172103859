import { isSea } from 'node:sea'

/** The path of the executable that contains Node and this program; undefined when Node runs the program from files. */
export function singleFile(): string | undefined {
  return isSea() ? process.execPath : undefined
}
