import { closeSync, constants, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { extname } from 'node:path'
import type { LineFileOptions, Lines, LineSink } from '../../files/lines.ts'

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)

/** Lines to the terminal or to files. Written synchronously, so that no line is lost in a crash. */
export const nodeLines: Lines = {
  open: (path, options) => (path === '-' || path === '--' ? standardStream(path) : new LineFile(path, options)),
}

function standardStream(path: '-' | '--'): LineSink {
  const stream = path === '-' ? process.stdout : process.stderr
  let broken: Error | undefined
  // A closed pipe (EPIPE) is reported as an event; without a listener it would end the process.
  const onError = (error: Error) => {
    broken = error
  }
  stream.on('error', onError)
  return {
    write: (line) => {
      if (broken !== undefined) throw broken
      stream.write(`${line}\n`)
    },
    // Removed later: an error of the last write may still be pending.
    [Symbol.dispose]: () => void setImmediate(() => stream.off('error', onError)),
  }
}

class LineFile implements LineSink {
  readonly #path: string
  readonly #options: LineFileOptions
  #descriptor: number
  #sizeBytes: number

  constructor(path: string, options: LineFileOptions) {
    this.#path = path
    this.#options = options
    this.#descriptor = openSync(path, FLAGS, 0o600)
    this.#sizeBytes = fstatSync(this.#descriptor).size
  }

  write(line: string): void {
    const data = Buffer.from(`${line}\n`)
    if (
      this.#options.sizeBytesMax > 0 &&
      this.#sizeBytes > 0 &&
      this.#sizeBytes + data.length > this.#options.sizeBytesMax
    ) {
      this.#rotate()
    }
    this.#sizeBytes += writeSync(this.#descriptor, data)
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }

  #rotate(): void {
    closeSync(this.#descriptor)
    const { oldFilesMax } = this.#options
    if (oldFilesMax <= 0) rmSync(this.#path, { force: true })
    for (let age = oldFilesMax - 1; age >= 0; age--) {
      const from = age === 0 ? this.#path : this.#oldName(age - 1)
      try {
        renameSync(from, this.#oldName(age))
      } catch {
        // Fewer old files exist.
      }
    }
    this.#descriptor = openSync(this.#path, FLAGS, 0o600)
    this.#sizeBytes = fstatSync(this.#descriptor).size
  }

  #oldName(age: number): string {
    const extension = extname(this.#path)
    return `${this.#path.slice(0, this.#path.length - extension.length)}.${age}${extension}`
  }
}
